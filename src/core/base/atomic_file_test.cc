// SPDX-License-Identifier: Apache-2.0
#include "core/base/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "calfvo/error.h"
#include "core/base/testing.h"

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

// The part's name must not be longer than the file's.
TEST(AtomicFile, TheLongestNameIsWritten) {
  const TempFolder folder;
  const auto path = folder.path() / std::string(255, 'x');
  WriteFileAtomically(path, "long");
  EXPECT_EQ(ReadWholeFile(path), "long");
}

TEST(AtomicFile, PipeWithoutAReaderIsAnError) {
  const TempFolder folder;
  const auto path = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(ErrorFrom([&] { AtomicFile file(path); }), HasSubstr("pipe: is a pipe that no process reads"));
}

TEST(PartFile, OnlyThoseOfKilledProcessesAreStale) {
  const TempFolder folder;
  const auto at = [&](const char* name) { return folder.path() / name; };
  WriteFileAtomically(at(".calfvo-0123456789abcdef.part"), "left by a kill");
  WriteFileAtomically(at(".poses.csv.1-0.part"), "not ours");
  WriteFileAtomically(at(".calfvo-notes.part"), "not ours");
  PartFile living(at("poses.csv"));
  RemoveStaleParts(folder.path());
  EXPECT_FALSE(std::filesystem::exists(at(".calfvo-0123456789abcdef.part")));
  EXPECT_TRUE(std::filesystem::exists(at(".poses.csv.1-0.part")));
  EXPECT_TRUE(std::filesystem::exists(at(".calfvo-notes.part")));
  EXPECT_TRUE(std::filesystem::exists(living.path()));
}

// In a container every process may have the same number.
TEST(PartFile, DoesNotCollideWithOneLeftByTheSameProcessNumber) {
  const TempFolder folder;
  const PartFile first(folder.path() / "poses.csv");
  const PartFile second(folder.path() / "poses.csv");
  EXPECT_NE(first.path(), second.path());
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
  std::filesystem::create_symlink(folder.path() / "nothing", folder.path() / "link");
  EXPECT_THAT(ErrorFrom([&] { MakeFolder(folder.path() / "link"); }),
              HasSubstr("a symbolic link to a folder that"));
}

}  // namespace
}  // namespace calfvo
