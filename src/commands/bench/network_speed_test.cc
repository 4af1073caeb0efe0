// SPDX-License-Identifier: Apache-2.0
#include "commands/bench/network_speed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "core/base/testing.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

NetworkEstimator TinyEstimator() {
  return {RandomModel(TinyConfig(), 1), {"ref", Precision::kF32}, 1};
}

TEST(NetworkSpeed, StepsOfEachSchedule) {
  NetworkEstimator estimator = TinyEstimator();
  const auto schedules = MeasureSpeed(estimator, {.windows = 3, .seconds = 0.2, .quiet = true});
  ASSERT_EQ(schedules.size(), 3U);
  EXPECT_EQ(schedules[0].name, "live");
  EXPECT_EQ(schedules[0].windows, 1);
  EXPECT_EQ(schedules[0].frames, 3);
  EXPECT_EQ(schedules[1].name, "stream");
  EXPECT_EQ(schedules[1].windows, 1);
  EXPECT_EQ(schedules[2].name, "offline");
  EXPECT_EQ(schedules[2].windows, 3);
  EXPECT_EQ(schedules[2].frames, 9);
  for (const ScheduleSpeed& schedule : schedules) {
    EXPECT_GE(schedule.p95_s, schedule.median_s);
    // Half of the steps took at least the median, and all but the last fit into the time.
    EXPECT_LT(0.5 * (schedule.steps - 2) * schedule.median_s, 0.2);
  }
}

TEST(NetworkSpeed, FramesPerSecondAreThoseOfTheMedianStep) {
  const ScheduleSpeed speed{.frames = 9, .steps = 4, .median_s = 0.25, .p95_s = 1.0};
  EXPECT_EQ(speed.frames_per_s(), 36.0);
}

// The wall clock around MeasureSpeed bounds the times that it reports.
TEST(NetworkSpeed, ReportedTimesFitIntoTheElapsedTime) {
  NetworkEstimator estimator = TinyEstimator();
  const auto start = std::chrono::steady_clock::now();
  const auto schedules = MeasureSpeed(estimator, {.windows = 3, .seconds = 0.05, .quiet = true});
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_GE(elapsed.count(), 3 * 0.05);
  double reported_s = 0.0;
  for (const ScheduleSpeed& schedule : schedules) reported_s += 0.5 * schedule.steps * schedule.median_s;
  EXPECT_LE(reported_s, elapsed.count());
  EXPECT_GT(reported_s, 0.0);
}

TEST(NetworkSpeed, AStepIsTimedHoweverShortTheTime) {
  NetworkEstimator estimator = TinyEstimator();
  for (const auto& schedule : MeasureSpeed(estimator, {.overlap = 7, .seconds = 0.0, .quiet = true})) {
    EXPECT_EQ(schedule.steps, 1);
    EXPECT_EQ(schedule.frames, schedule.windows);
    EXPECT_GT(schedule.median_s, 0.0);
  }
}

TEST(NetworkSpeed, QuantilesAreValuesOfTheList) {
  EXPECT_EQ(Quantile({5.0, 1.0, 3.0}, 0.5), 3.0);
  EXPECT_EQ(Quantile({5.0, 1.0, 3.0, 4.0}, 0.5), 3.0);
  std::vector<double> hundred;
  for (int i = 100; i >= 1; --i) hundred.push_back(i);
  EXPECT_EQ(Quantile(hundred, 0.95), 95.0);
  EXPECT_EQ(Quantile({2.0}, 0.95), 2.0);
}

TEST(NetworkSpeed, RejectsInvalidOptions) {
  const auto message = [](const SpeedOptions& options) { return ErrorFrom([&] { options.Validate(8); }); };
  EXPECT_THAT(message({.overlap = 8}), HasSubstr("can share 1 to 7"));
  EXPECT_THAT(message({.windows = 0}), HasSubstr("windows is 0; expected 1 to 1024"));
  EXPECT_THAT(message({.seconds = -1.0}), HasSubstr("seconds is -1; expected 0 to 3600"));
}

}  // namespace
}  // namespace calfvo
