// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/association.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "core/base/testing.h"

namespace calfvo {

bool operator==(const PosePair& a, const PosePair& b) {
  return a.reference == b.reference && a.estimate == b.estimate;
}

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Trajectory At(std::vector<int64_t> times_ns, bool has_time = true) {
  Trajectory trajectory;
  trajectory.timestamps_ns = std::move(times_ns);
  trajectory.world_from_camera.resize(trajectory.timestamps_ns.size());
  trajectory.has_time = has_time;
  return trajectory;
}

TEST(Associate, TheShorterOneTakesTheNearest) {
  EXPECT_THAT(Associate(At({0, 10, 20, 30, 40}), At({11, 29, 60}), 5),
              ElementsAre(PosePair{1, 0}, PosePair{3, 1}));
  EXPECT_THAT(Associate(At({11, 29, 60}), At({0, 10, 20, 30, 40}), 5),
              ElementsAre(PosePair{0, 1}, PosePair{1, 3}));
}

TEST(Associate, TheBoundIsInclusiveAndTiesGoToTheEarlier) {
  EXPECT_THAT(Associate(At({0, 10}), At({5}), 5), ElementsAre(PosePair{0, 0}));
  EXPECT_THAT(ErrorFrom([] {
                Associate(At({0, 10}), At({5}), 4);
              }),
              HasSubstr("no poses match within 4e-09 s"));
}

TEST(Associate, AgreesWithExhaustiveSearch) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    const auto times = [&](size_t most) {
      std::set<int64_t> chosen;
      const size_t count = 1 + random() % most;
      while (chosen.size() < count) chosen.insert(static_cast<int64_t>(random() % 200));
      return std::vector<int64_t>(chosen.begin(), chosen.end());
    };
    const Trajectory reference = At(times(40));
    const Trajectory estimate = At(times(40));
    const bool swapped = estimate.size() > reference.size();
    const auto& longer = (swapped ? estimate : reference).timestamps_ns;
    const auto& shorter = (swapped ? reference : estimate).timestamps_ns;
    std::vector<PosePair> expected;
    for (uint32_t i = 0; i < shorter.size(); ++i) {
      uint32_t best = 0;
      for (uint32_t j = 1; j < longer.size(); ++j) {
        if (std::abs(longer[j] - shorter[i]) < std::abs(longer[best] - shorter[i])) best = j;
      }
      if (std::abs(longer[best] - shorter[i]) <= 3)
        expected.push_back(swapped ? PosePair{i, best} : PosePair{best, i});
    }
    if (expected.empty()) continue;
    EXPECT_EQ(Associate(reference, estimate, 3), expected);
  }
}

TEST(Associate, ExtremeTimesDoNotOverflow) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(Associate(At({kMin, kMax}), At({kMin, 0, kMax}), 1),
              ElementsAre(PosePair{0, 0}, PosePair{1, 2}));
}

TEST(Associate, WithoutAClockByIndex) {
  EXPECT_THAT(Associate(At({0, 1}, false), At({70, 90}), 0), ElementsAre(PosePair{0, 0}, PosePair{1, 1}));
  EXPECT_THAT(ErrorFrom([] {
                Associate(At({0, 1}, false), At({0}), 0);
              }),
              HasSubstr("the reference has 2 poses and the estimate 1"));
}

TEST(Associate, NothingToMatch) {
  EXPECT_THAT(ErrorFrom([] { Associate(At({}), At({0}), 0); }), HasSubstr("the reference has no poses"));
  EXPECT_THAT(ErrorFrom([] { Associate(At({0}), At({1'000'000'000}), 0); }),
              HasSubstr("the reference covers 0.000000 to 0.000000 s, the estimate 1.000000 to 1.000000 s"));
}

}  // namespace
}  // namespace calfvo
