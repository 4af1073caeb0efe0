// SPDX-License-Identifier: Apache-2.0
// How a matrix product x·Wᵀ is divided into tasks for the threads of a pool.
#pragma once

#include <cstdint>

namespace calfvo {

struct LinearProblem {
  int64_t rows;      // of x, 1 or more
  int64_t depth;     // columns of x
  int64_t columns;   // of the result, 1 or more
  int64_t row_tile;  // rows and columns that a kernel multiplies at once
  int64_t panel;
  int64_t task_rows;  // the most rows of a task, whole tiles
  // The rows of a task stay in the cache for the next task of the same rows.
  bool rows_stay_cached;
  int64_t threads;
};

// Tasks are blocks of rows × groups of panels, about two or more for each thread. Tasks 0, 1, … are meant for
// ThreadPool::ParallelFor, which gives each thread a contiguous share of them and lets a thread that has
// finished take tasks from a slower one.
//
// A thread has its own rows, so that they stay in its core's cache from operation to operation, unless panels
// divide more evenly among the threads. Tasks are four times smaller if rows stay cached, so that there is
// more to take. The division does not affect the order of any sum.
class LinearPlan {
 public:
  struct Task {
    int64_t first_row;  // a multiple of row_tile
    int64_t rows;
    int64_t first_column;  // a multiple of panel
    int64_t columns;
  };

  explicit LinearPlan(const LinearProblem& problem);

  int64_t size() const { return blocks_ * groups_; }
  // The tasks together cover all rows and columns once. Those of the same rows that one thread is meant to
  // run follow each other.
  Task operator[](int64_t i) const;

 private:
  LinearProblem problem_;
  int64_t tiles_;  // of rows
  int64_t blocks_;
  int64_t panels_per_group_;
  int64_t groups_;
  int64_t share_;  // groups of the same block that follow each other
};

}  // namespace calfvo
