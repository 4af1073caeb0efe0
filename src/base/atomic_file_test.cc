// SPDX-License-Identifier: Apache-2.0
#include "base/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "base/testing.h"
#include "calfvo/error.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(AtomicFile, AppearsOnlyOnCommit) {
  const TempFolder folder;
  const auto path = folder.path() / "out.txt";
  AtomicFile file(path);
  file.Write("hello");
  EXPECT_FALSE(std::filesystem::exists(path));
  file.Commit();
  EXPECT_EQ(ReadWholeFile(path), "hello");
  EXPECT_EQ(folder.FileCount(), 1);
}

TEST(AtomicFile, AbandonedWriteLeavesTheOldFile) {
  const TempFolder folder;
  const auto path = folder.path() / "out.txt";
  WriteFileAtomically(path, "old");
  {
    AtomicFile file(path);
    file.Write("new");
  }
  EXPECT_EQ(ReadWholeFile(path), "old");
  EXPECT_EQ(folder.FileCount(), 1);
}

TEST(AtomicFile, HonoursTheUmask) {
  const TempFolder folder;
  const auto path = folder.path() / "out.txt";
  const mode_t before = ::umask(0022);
  WriteFileAtomically(path, "x");
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644U);
}

TEST(AtomicFile, MissingFolderIsNamed) {
  EXPECT_THAT(ErrorFrom([] { AtomicFile("/nonexistent-folder/out.txt"); }),
              HasSubstr("/nonexistent-folder/out.txt: cannot open for writing: No such file or directory"));
}

TEST(AtomicFile, FolderInsteadOfFile) {
  const TempFolder folder;
  EXPECT_THAT(ErrorFrom([&] { AtomicFile file(folder.path()); }), HasSubstr("is a folder"));
}

TEST(AtomicFile, NameTooLongForAnyDisk) {
  const std::string long_name(300, 'x');
  EXPECT_EQ(ErrorFrom([&] { AtomicFile file(long_name); }),
            long_name + ": cannot open for writing: File name too long");
}

TEST(AtomicFile, FullDiskIsAnError) {
  EXPECT_THAT(ErrorFrom([] { WriteFileAtomically("/dev/full", "x"); }),
              HasSubstr("/dev/full: cannot write: No space left on device"));
}

TEST(AtomicFile, WritesThroughToAPipe) {
  const TempFolder folder;
  const auto path = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = ReadWholeFile(path); });
  WriteFileAtomically(path, "through");
  reader.join();
  EXPECT_EQ(received, "through");
  EXPECT_TRUE(std::filesystem::is_fifo(path));
}

TEST(MakeFolder, NamesWhatCannotBeMade) {
  const TempFolder folder;
  MakeFolder(folder.path() / "a" / "b");
  EXPECT_TRUE(std::filesystem::is_directory(folder.path() / "a" / "b"));
  WriteFileAtomically(folder.path() / "file", "x");
  EXPECT_THAT(ErrorFrom([&] { MakeFolder(folder.path() / "file" / "c"); }),
              HasSubstr("cannot make the folder"));
}

}  // namespace
}  // namespace calfvo
