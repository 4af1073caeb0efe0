// SPDX-License-Identifier: Apache-2.0
#include "weights/quoted.h"

#include <fmt/format.h>

namespace calfvo {

std::string Quoted(std::string_view text) {
  constexpr size_t kMaxCharacters = 80;
  std::string quoted = "'";
  for (const char c : text.substr(0, kMaxCharacters)) {
    if (c >= ' ' && c <= '~') {
      quoted += c;
    } else {
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return quoted + (text.size() > kMaxCharacters ? "…'" : "'");
}

}  // namespace calfvo
