// SPDX-License-Identifier: Apache-2.0
#include "base/growing_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/testing.h"

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

TEST(GrowingFile, SaysWhatCannotBeWritten) {
  const TempFolder folder;
  const std::string message = ErrorFrom([&] { GrowingFile(folder.path() / "none" / "lines"); });
  EXPECT_NE(message.find("none/lines: cannot be opened for writing: No such file"), std::string::npos)
      << message;
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  EXPECT_NE(ErrorFrom([] { GrowingFile("/dev/full").Write("x"); }).find("No space left"), std::string::npos);
}

}  // namespace
}  // namespace calfvo
