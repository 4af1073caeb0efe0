// SPDX-License-Identifier: Apache-2.0
#include "loop/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "calfvo/error.h"

namespace calfvo::train {

void ScheduleOptions::Validate() const {
  const auto fail = [](const char* field, auto value, const char* expected) {
    throw Error(fmt::format("{} is {}; expected {}", field, value, expected));
  };
  if (!(learning_rate > 0.0 && learning_rate <= 1.0))
    fail("learning_rate", learning_rate, "above 0, at most 1");
  if (!(final_learning_rate >= 0.0 && final_learning_rate <= learning_rate)) {
    fail("final_learning_rate", final_learning_rate, "0 to learning_rate");
  }
  if (steps < 1 || steps > 1'000'000'000) fail("steps", steps, "1 to 1000000000");
  if (warmup_steps < 0 || warmup_steps >= steps) fail("warmup_steps", warmup_steps, "0 to steps - 1");
  if (!(max_minutes >= 0.0 && max_minutes <= 1e7)) fail("max_minutes", max_minutes, "0 to 10000000");
}

double Schedule::Progress(int64_t steps_done, double elapsed_s) const {
  const double by_steps = static_cast<double>(steps_done) / static_cast<double>(options_.steps);
  const double by_time = options_.max_minutes > 0.0 ? elapsed_s / (60.0 * options_.max_minutes) : 0.0;
  return std::clamp(std::max(by_steps, by_time), 0.0, 1.0);
}

double Schedule::LearningRate(int64_t steps_done, double elapsed_s) const {
  const double warmup =
      options_.warmup_steps == 0
          ? 1.0
          : std::min(1.0, static_cast<double>(steps_done + 1) / static_cast<double>(options_.warmup_steps));
  const double warmup_share =
      static_cast<double>(options_.warmup_steps) / static_cast<double>(options_.steps);
  const double share = std::max(0.0, (Progress(steps_done, elapsed_s) - warmup_share) / (1.0 - warmup_share));
  const double range = options_.learning_rate - options_.final_learning_rate;
  const double annealed =
      options_.final_learning_rate + 0.5 * range * (1.0 + std::cos(std::numbers::pi * share));
  return warmup * annealed;
}

}  // namespace calfvo::train
