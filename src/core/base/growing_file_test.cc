// SPDX-License-Identifier: Apache-2.0
#include "core/base/growing_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/atomic_file.h"
#include "core/base/testing.h"

namespace calfvo {
namespace {

TEST(GrowingFile, IsReadableWhileItGrows) {
  const TempFolder folder;
  GrowingFile file(folder.path() / "lines");
  file.Write("one\n");
  EXPECT_EQ(ReadWholeFile(folder.path() / "lines"), "one\n");
  file.Write("two\n");
  EXPECT_EQ(ReadWholeFile(folder.path() / "lines"), "one\ntwo\n");
}

TEST(GrowingFile, NamesWhatCannotBeWritten) {
  const TempFolder folder;
  const std::string message = ErrorFrom([&] { GrowingFile(folder.path() / "none" / "lines"); });
  EXPECT_NE(message.find("none/lines: cannot be opened for writing: No such file"), std::string::npos)
      << message;
}

TEST(GrowingFile, ReplacesNoFileAndFollowsNoLink) {
  const TempFolder folder;
  const auto target = folder.path() / "target";
  WriteFileAtomically(target, "mine");
  std::filesystem::create_symlink(target, folder.path() / "link");
  std::filesystem::create_symlink(folder.path() / "nowhere", folder.path() / "dangling");
  for (const char* name : {"target", "link", "dangling"}) {
    EXPECT_NE(ErrorFrom([&] { GrowingFile(folder.path() / name); }).find("File exists"), std::string::npos);
  }
  EXPECT_EQ(ReadWholeFile(target), "mine");
}

}  // namespace
}  // namespace calfvo
