// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/time_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <tuple>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

std::vector<int64_t> RandomTimes(std::mt19937_64& random, size_t count) {
  std::set<int64_t> times;
  while (times.size() < count) times.insert(static_cast<int64_t>(random() % 2000));
  return {times.begin(), times.end()};
}

// All pairs, as associate.py makes them.
std::vector<std::optional<size_t>> BruteForce(const std::vector<int64_t>& images,
                                              const std::vector<int64_t>& poses, int64_t limit) {
  std::vector<std::tuple<int64_t, int64_t, int64_t>> pairs;
  for (const int64_t a : images) {
    for (const int64_t b : poses) {
      if (std::abs(a - b) < limit) pairs.emplace_back(std::abs(a - b), a, b);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  std::set<int64_t> free_images(images.begin(), images.end());
  std::set<int64_t> free_poses(poses.begin(), poses.end());
  std::vector<std::optional<size_t>> matches(images.size());
  for (const auto& [difference, a, b] : pairs) {
    if (!free_images.contains(a) || !free_poses.contains(b)) continue;
    free_images.erase(a);
    free_poses.erase(b);
    matches[static_cast<size_t>(std::find(images.begin(), images.end(), a) - images.begin())] =
        static_cast<size_t>(std::find(poses.begin(), poses.end(), b) - poses.begin());
  }
  return matches;
}

TEST(TimeMatch, OneToOneIsWhatAllPairsGive) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    const auto images = RandomTimes(random, 40);
    const auto poses = RandomTimes(random, 20 + random() % 200);
    EXPECT_EQ(MatchOneToOne(images, poses, 25, "file"), BruteForce(images, poses, 25));
  }
}

// Where nearly everything is close to everything, each pair that is taken changes who is next to whom.
TEST(TimeMatch, OneToOneIsWhatAllPairsGiveInACrowd) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 50; ++round) {
    const auto images = RandomTimes(random, 1 + random() % 150);
    const auto poses = RandomTimes(random, 1 + random() % 150);
    EXPECT_EQ(MatchOneToOne(images, poses, 700, "file"), BruteForce(images, poses, 700));
  }
  EXPECT_TRUE(MatchOneToOne({}, std::vector<int64_t>{1}, 5, "file").empty());
  EXPECT_EQ(MatchOneToOne(std::vector<int64_t>{1}, {}, 5, "file").front(), std::nullopt);
}

TEST(TimeMatch, MemoryDoesNotGrowWithTheNumberOfPairs) {
  std::vector<int64_t> images(20'000);
  for (size_t i = 0; i < images.size(); ++i) images[i] = static_cast<int64_t>(i);
  const std::vector<int64_t> poses(images.begin(), images.begin() + 999);
  rusage before{};
  rusage after{};
  ::getrusage(RUSAGE_SELF, &before);
  const auto matches = MatchOneToOne(images, poses, 20'000'000, "file");
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(matches[998], 998U);
  EXPECT_EQ(matches[999], std::nullopt);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 50'000) << "kB, for 20 million pairs";
}

TEST(TimeMatch, NearestIsWhatTheMinimumGives) {
  std::mt19937_64 random(4);
  const auto poses = RandomTimes(random, 100);
  for (int64_t time = -20; time < 2020; ++time) {
    std::optional<size_t> expected;
    for (size_t i = 0; i < poses.size(); ++i) {
      const int64_t away = std::abs(poses[i] - time);
      if (away <= 7 && (!expected || away < std::abs(poses[*expected] - time))) expected = i;
    }
    EXPECT_EQ(MatchNearest(time, poses, 7), expected) << time;
  }
  EXPECT_EQ(MatchNearest(5, {}, 7), std::nullopt);
}

TEST(TimeMatch, ExtremeTimesDoNotOverflow) {
  const std::vector<int64_t> ends = {std::numeric_limits<int64_t>::min(),
                                     std::numeric_limits<int64_t>::max()};
  EXPECT_EQ(MatchNearest(0, ends, 1000), std::nullopt);
  EXPECT_EQ(MatchNearest(ends[0], ends, 1000), 0U);
  const auto matches = MatchOneToOne(ends, ends, 1000, "file");
  EXPECT_EQ(matches[0], 0U);
  EXPECT_EQ(matches[1], 1U);
}

TEST(TimeMatch, RefusesCrowdsOfPoses) {
  std::vector<int64_t> poses(1002);
  for (size_t i = 0; i < poses.size(); ++i) poses[i] = static_cast<int64_t>(i);
  EXPECT_THAT(
      ErrorFrom([&] { MatchOneToOne(std::vector<int64_t>{500}, poses, 20'000'000, "groundtruth.txt"); }),
      HasSubstr("groundtruth.txt: over 1000 poses are within 0.02 s of the image at 500 ns"));
}

}  // namespace
}  // namespace calfvo
