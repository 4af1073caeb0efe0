// SPDX-License-Identifier: Apache-2.0
#include "loop/image_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <future>

#include "core/base/file_lock.h"
#include "core/base/testing.h"
#include "data/image_store.h"
#include "data/test_sequence.h"

namespace calfvo::train {
namespace {

using testing::HasSubstr;

constexpr int kSequences = 12;
constexpr int kFrames = 40;

struct TestData {
  TestData() : datasets(2) {
    for (int i = 0; i < kSequences; ++i) {
      auto sequence = std::make_unique<TestSequence>("sequence " + std::to_string(i), kFrames);
      sequences.push_back(sequence.get());
      datasets[static_cast<size_t>(i % 2)].sequences.push_back(std::move(sequence));
    }
  }
  int Reads() const {
    int reads = 0;
    for (const TestSequence* sequence : sequences) reads += sequence->reads();
    return reads;
  }

  std::vector<Dataset> datasets;
  std::vector<TestSequence*> sequences;
};

ImageCache CacheAt(const std::filesystem::path& folder) {
  ImageCache cache{.folder = folder, .threads = 1};
  cache.input.size = 16;
  return cache;
}

constexpr bool kQuiet = true;
const std::function<bool()> kGoOn = [] { return false; };

TEST(ImageCache, ResumesWhereItWasStopped) {
  const TempFolder folder;
  Processes alone({}, torch::kCPU);
  const TestData data;
  EXPECT_FALSE(FillImageCache(
      data.datasets, CacheAt(folder.path()), alone, [&] { return data.Reads() >= 3 * kFrames; }, kQuiet));
  EXPECT_EQ(data.Reads(), 3 * kFrames);
  EXPECT_EQ(folder.FileCount(), 3);
  EXPECT_TRUE(FillImageCache(data.datasets, CacheAt(folder.path()), alone, kGoOn, kQuiet));
  EXPECT_EQ(data.Reads(), kSequences * kFrames);
  EXPECT_EQ(folder.FileCount(), kSequences);
  for (const TestSequence* sequence : data.sequences) EXPECT_EQ(sequence->reads(), kFrames);
}

TEST(ImageCache, NoFolderNoCache) {
  Processes alone({}, torch::kCPU);
  const TestData data;
  EXPECT_TRUE(FillImageCache(data.datasets, CacheAt(""), alone, kGoOn, kQuiet));
  EXPECT_EQ(data.Reads(), 0);
}

struct Filled {
  int reads = 0;
  bool is_full = false;
  std::string message;
};

// Two processes, as threads, that fill a folder together. `change` is applied to the data of both.
std::vector<Filled> FillWithTwo(const std::filesystem::path& folder, std::vector<int> local_ranks,
                                const std::function<void(TestData&)>& change = {},
                                const std::function<bool(const TestData&)>& should_stop = {}) {
  static int calls = 0;
  const int port = 42'000 + (::getpid() * 7 + ++calls) % 8'000;
  std::vector<std::future<Filled>> futures;
  for (const int rank : {0, 1}) {
    futures.push_back(std::async(std::launch::async, [&, rank] {
      TestData data;
      if (change) change(data);
      Processes processes({.rank = rank,
                           .size = 2,
                           .local_rank = local_ranks[static_cast<size_t>(rank)],
                           .address = "127.0.0.1",
                           .port = port},
                          torch::kCPU);
      Filled filled;
      filled.message = ErrorFrom([&] {
        filled.is_full = FillImageCache(
            data.datasets, CacheAt(folder), processes, [&] { return should_stop && should_stop(data); },
            kQuiet);
      });
      filled.reads = data.Reads();
      return filled;
    }));
  }
  std::vector<Filled> result;
  for (auto& future : futures) result.push_back(future.get());
  return result;
}

TEST(ImageCache, OneProcessOfAMachineFills) {
  const TempFolder folder;
  const auto filled = FillWithTwo(folder.path(), {0, 1});
  EXPECT_EQ(filled[0].reads, kSequences * kFrames);
  EXPECT_EQ(filled[1].reads, 0);
  EXPECT_TRUE(filled[0].is_full && filled[1].is_full);
  EXPECT_EQ(folder.FileCount(), kSequences);
}

TEST(ImageCache, MachinesShareACommonFolder) {
  const TempFolder folder;
  const auto filled = FillWithTwo(folder.path(), {0, 0});
  EXPECT_EQ(filled[0].reads + filled[1].reads, kSequences * kFrames);
  EXPECT_GT(filled[0].reads, 0);
  EXPECT_GT(filled[1].reads, 0);
  EXPECT_TRUE(filled[0].is_full && filled[1].is_full);
  EXPECT_EQ(folder.FileCount(), kSequences);
}

TEST(ImageCache, AFailureOfOneEndsAll) {
  const TempFolder folder;
  const auto filled =
      FillWithTwo(folder.path(), {0, 1}, [](TestData& data) { data.sequences[4]->BreakFrame(9); });
  EXPECT_EQ(filled[0].message, "sequence 4: frame 9 cannot be decoded");
  EXPECT_THAT(filled[1].message, HasSubstr("another process could not fill this cache"));
  EXPECT_FALSE(filled[0].is_full || filled[1].is_full);
}

TEST(ImageCache, ARequestToStopEndsAll) {
  const TempFolder folder;
  const auto filled =
      FillWithTwo(folder.path(), {0, 1}, {}, [](const TestData& data) { return data.Reads() > 0; });
  EXPECT_FALSE(filled[0].is_full || filled[1].is_full);
  EXPECT_EQ(filled[0].message, "no error");
  EXPECT_EQ(folder.FileCount(), 1);
}

TEST(ImageCache, LeavesASequenceThatAnotherRunIsPackingToIt) {
  const TempFolder folder;
  const TestData data;
  ThreadPool threads(1);
  const ImageCache cache = CacheAt(folder.path());
  const auto path = PackedPath(*data.sequences[0], kFrames, cache.input, cache.folder);
  auto lock = std::make_unique<FileLock>(path.string() + ".lock", FileLock::Target::kNewFile);
  EXPECT_FALSE(PackUnlessLocked(*data.sequences[0], kFrames, cache.input, cache.folder, threads));
  EXPECT_EQ(data.Reads(), 0);
  lock.reset();
  EXPECT_TRUE(PackUnlessLocked(*data.sequences[0], kFrames, cache.input, cache.folder, threads));
  EXPECT_TRUE(PackUnlessLocked(*data.sequences[0], kFrames, cache.input, cache.folder, threads));
  EXPECT_EQ(data.Reads(), kFrames);
}

TEST(ImageCache, RefusesADiskThatIsTooSmall) {
  const TempFolder folder;
  Processes alone({}, torch::kCPU);
  TestData data;
  // Far more than any disk has; nothing is read.
  ImageCache cache = CacheAt(folder.path() / "not/there/yet");
  cache.input.size = 10'000'000;
  EXPECT_THAT(ErrorFrom([&] { FillImageCache(data.datasets, cache, alone, kGoOn, kQuiet); }),
              HasSubstr("GB for the images that are missing, but its disk has"));
  EXPECT_EQ(data.Reads(), 0);
}

}  // namespace
}  // namespace calfvo::train
