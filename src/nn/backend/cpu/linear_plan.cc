// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cpu/linear_plan.h"

#include <algorithm>

namespace calfvo {
namespace {

int64_t DivideUp(int64_t count, int64_t by) {
  return (count + by - 1) / by;
}

// How much more than the mean the busiest thread has, relative to the mean.
double Imbalance(int64_t count, int64_t threads) {
  return static_cast<double>(DivideUp(count, threads) * threads) / static_cast<double>(count) - 1.0;
}

}  // namespace

LinearPlan::LinearPlan(const LinearProblem& problem)
    : problem_(problem), tiles_(DivideUp(problem.rows, problem.row_tile)) {
  constexpr double kNegligibleImbalance = 0.03;
  constexpr int64_t kLeastWork = 8192;  // of a task, panels × depth
  const int64_t threads = problem.threads;
  const int64_t panels = DivideUp(problem.columns, problem.panel);
  const bool own_rows = panels < threads || Imbalance(tiles_, threads) <=
                                                std::max(kNegligibleImbalance, Imbalance(panels, threads));

  const int64_t least_blocks = DivideUp(problem.rows, problem.task_rows);
  const int64_t wanted_blocks =
      own_rows ? DivideUp(least_blocks, threads) * threads : std::max<int64_t>(least_blocks, 2);
  blocks_ = std::min(wanted_blocks, tiles_);

  const int64_t least_groups = own_rows ? DivideUp(2 * threads, blocks_) : threads;
  const int64_t smaller_groups =
      problem.rows_stay_cached ? std::min(4 * least_groups, panels * problem.depth / kLeastWork) : 0;
  panels_per_group_ = DivideUp(panels, std::max(least_groups, smaller_groups));
  groups_ = DivideUp(panels, panels_per_group_);
  share_ = own_rows ? groups_ : DivideUp(groups_, threads);
}

LinearPlan::Task LinearPlan::operator[](int64_t i) const {
  const int64_t first_group = i / (blocks_ * share_) * share_;
  const int64_t count = std::min(share_, groups_ - first_group);
  const int64_t left = i % (blocks_ * share_);
  const int64_t block = left / count;
  const int64_t group = first_group + left % count;

  const int64_t row = block * tiles_ / blocks_ * problem_.row_tile;
  const int64_t end_row = std::min((block + 1) * tiles_ / blocks_ * problem_.row_tile, problem_.rows);
  const int64_t column = group * panels_per_group_ * problem_.panel;
  return {row, end_row - row, column,
          std::min(panels_per_group_ * problem_.panel, problem_.columns - column)};
}

}  // namespace calfvo
