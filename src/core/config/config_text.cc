// SPDX-License-Identifier: Apache-2.0
#include "core/config/config_text.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "calfvo/error.h"

namespace calfvo {

std::string ReadConfigText(const std::filesystem::path& path, std::string_view what) {
  constexpr size_t kMaxBytes = 1'000'000;
  const auto fail = [&](const std::string& problem) { throw Error(path.string() + ": " + problem); };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    fail(fmt::format("is a folder; a {} file was expected", what));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) fail(fmt::format("cannot open the {}", what));
  std::string text(kMaxBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) fail(fmt::format("cannot read the {}", what));
  text.resize(static_cast<size_t>(stream.gcount()));
  if (text.size() > kMaxBytes) {
    fail(fmt::format("is larger than {} bytes; a {} was expected", kMaxBytes, what));
  }
  return text;
}

}  // namespace calfvo
