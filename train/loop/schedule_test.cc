// SPDX-License-Identifier: Apache-2.0
#include "loop/schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/base/testing.h"

namespace calfvo::train {
namespace {

using testing::HasSubstr;

const ScheduleOptions kOptions{
    .learning_rate = 1e-3, .final_learning_rate = 1e-4, .warmup_steps = 100, .steps = 1100};

TEST(Schedule, WarmsUpAndAnneals) {
  const Schedule schedule(kOptions);
  EXPECT_DOUBLE_EQ(schedule.LearningRate(0, 0.0), 1e-5);
  EXPECT_DOUBLE_EQ(schedule.LearningRate(49, 0.0), 5e-4);
  EXPECT_DOUBLE_EQ(schedule.LearningRate(100, 0.0), 1e-3);
  EXPECT_NEAR(schedule.LearningRate(600, 0.0), 5.5e-4, 1e-12);
  EXPECT_NEAR(schedule.LearningRate(1100, 0.0), 1e-4, 1e-12);
  for (const int64_t step : {100, 300, 512, 999}) {
    const double share = static_cast<double>(step - 100) / 1000.0;
    EXPECT_NEAR(schedule.LearningRate(step, 1e9), 1e-4 + 4.5e-4 * (1 + std::cos(std::numbers::pi * share)),
                1e-12);
  }
}

TEST(Schedule, TimeAnnealsToo) {
  ScheduleOptions options = kOptions;
  options.max_minutes = 10.0;
  const Schedule schedule(options);
  EXPECT_DOUBLE_EQ(schedule.Progress(110, 30.0), 0.1);
  EXPECT_DOUBLE_EQ(schedule.Progress(110, 300.0), 0.5);
  EXPECT_DOUBLE_EQ(schedule.Progress(110, 1e9), 1.0);
  // The later of step and time decides.
  EXPECT_DOUBLE_EQ(schedule.LearningRate(600, 1.0), Schedule(kOptions).LearningRate(600, 0.0));
  EXPECT_NEAR(schedule.LearningRate(200, 600.0), 1e-4, 1e-12);
  EXPECT_NEAR(schedule.LearningRate(200, 600.0 * 600 / 1100), 5.5e-4, 1e-12);
  // Even in the warm-up.
  EXPECT_NEAR(schedule.LearningRate(49, 600.0), 0.5e-4, 1e-12);
}

TEST(Schedule, RefusesNonsense) {
  const auto message = [](auto change) {
    ScheduleOptions options = kOptions;
    change(options);
    return ErrorFrom([&] { options.Validate(); });
  };
  EXPECT_THAT(message([](auto& o) { o.learning_rate = 0; }), HasSubstr("learning_rate is 0; expected"));
  EXPECT_THAT(message([](auto& o) { o.learning_rate = NAN; }), HasSubstr("learning_rate is nan"));
  EXPECT_THAT(message([](auto& o) { o.final_learning_rate = 1; }), HasSubstr("final_learning_rate is 1"));
  EXPECT_THAT(message([](auto& o) { o.warmup_steps = 1100; }), HasSubstr("warmup_steps is 1100"));
  EXPECT_THAT(message([](auto& o) { o.steps = 0; }), HasSubstr("steps is 0"));
  EXPECT_THAT(message([](auto& o) { o.max_minutes = -1; }), HasSubstr("max_minutes is -1"));
}

}  // namespace
}  // namespace calfvo::train
