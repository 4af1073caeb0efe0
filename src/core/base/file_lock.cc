// SPDX-License-Identifier: Apache-2.0
#include "core/base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace calfvo {
namespace {

// O_NOFOLLOW: a link in a shared folder must not create files elsewhere.
int Open(const std::filesystem::path& path, FileLock::Target target) {
  if (target == FileLock::Target::kExisting) return ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& path, Target target) : descriptor_(Open(path, target)) {
  if (descriptor_ < 0) return;
  is_refused_ = ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace calfvo
