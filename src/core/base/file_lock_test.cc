// SPDX-License-Identifier: Apache-2.0
#include "core/base/file_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "core/base/testing.h"

namespace calfvo {
namespace {

// What another process finds.
bool IsRefusedElsewhere(const std::filesystem::path& path) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(FileLock(path).is_refused() ? 1 : 0);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 1;
}

TEST(FileLock, HoldsForOneAtATime) {
  const TempFolder folder;
  for (const auto& path : {folder.path(), folder.path() / "new.lock"}) {
    const auto target = path == folder.path() ? FileLock::Target::kExisting : FileLock::Target::kNewFile;
    auto lock = std::make_unique<FileLock>(path, target);
    EXPECT_FALSE(lock->is_refused());
    EXPECT_TRUE(FileLock(path).is_refused());
    EXPECT_TRUE(IsRefusedElsewhere(path));
    lock.reset();
    EXPECT_FALSE(IsRefusedElsewhere(path));
  }
}

TEST(FileLock, DoesNotFollowLinksToNewFiles) {
  const TempFolder folder;
  std::filesystem::create_symlink(folder.path() / "elsewhere", folder.path() / "a.lock");
  EXPECT_FALSE(FileLock(folder.path() / "a.lock", FileLock::Target::kNewFile).is_refused());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "elsewhere"));
}

}  // namespace
}  // namespace calfvo
