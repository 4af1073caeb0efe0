// SPDX-License-Identifier: Apache-2.0
// The learning rate over a run.
#pragma once

#include <cstdint>

namespace calfvo::train {

// A linear warm-up to `learning_rate`, then a half cosine down to `final_learning_rate`.
struct ScheduleOptions {
  double learning_rate = 1e-4;
  double final_learning_rate = 1e-5;
  int64_t warmup_steps = 100;
  int64_t steps = 10'000;
  // The run also ends, fully annealed, after this much time; 0: no limit.
  double max_minutes = 0.0;

  void Validate() const;  // throws Error naming the field
};

class Schedule {
 public:
  explicit Schedule(const ScheduleOptions& options) : options_(options) {}

  // How much of the run has passed when `steps_done` steps took `elapsed_s` seconds in all: the larger of
  // the two shares, 1 at the end.
  double Progress(int64_t steps_done, double elapsed_s) const;

  // Of the step after those. The cosine runs over the steps after the warm-up. Where time is what ends the
  // run, it runs over progress as if the warm-up took the share of the steps that it has in `steps`.
  double LearningRate(int64_t steps_done, double elapsed_s) const;

 private:
  ScheduleOptions options_;
};

}  // namespace calfvo::train
