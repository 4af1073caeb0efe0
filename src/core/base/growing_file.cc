// SPDX-License-Identifier: Apache-2.0
#include "core/base/growing_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/base/temporary_error.h"

namespace calfvo {
namespace {

[[noreturn]] void Fail(const std::filesystem::path& path, const char* action) {
  ThrowSystemError(fmt::format("{}: cannot be {}", path.string(), action), errno);
}

}  // namespace

GrowingFile::GrowingFile(std::filesystem::path path) : path_(std::move(path)) {
  descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) Fail(path_, "opened for writing");
}

GrowingFile::~GrowingFile() {
  ::close(descriptor_);
}

void GrowingFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) Fail(path_, "written");
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace calfvo
