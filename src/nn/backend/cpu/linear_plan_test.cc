// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cpu/linear_plan.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace calfvo {
namespace {

LinearProblem Problem(int64_t rows, int64_t columns, int64_t threads, bool rows_stay_cached = true) {
  return {.rows = rows,
          .depth = 1024,
          .columns = columns,
          .row_tile = 32,
          .panel = 32,
          .task_rows = 13 * 32,
          .rows_stay_cached = rows_stay_cached,
          .threads = threads};
}

TEST(LinearPlan, TasksCoverEveryResultOnce) {
  for (const int64_t rows : {1, 31, 32, 33, 417, 1576}) {
    for (const int64_t columns : {1, 33, 98, 1000, 3072}) {
      for (const int64_t threads : {1, 2, 3, 7, 64}) {
        for (const bool cached : {false, true}) {
          SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", " << threads << " threads");
          const LinearProblem problem = Problem(rows, columns, threads, cached);
          const LinearPlan plan(problem);
          // Counted per tile and panel: a task begins at whole ones, and ends there or at the end.
          const int64_t tiles = (rows + 31) / 32;
          const int64_t panels = (columns + 31) / 32;
          std::vector<int> covered(static_cast<size_t>(tiles * panels));
          for (int64_t i = 0; i < plan.size(); ++i) {
            const LinearPlan::Task task = plan[i];
            const int64_t end_row = task.first_row + task.rows;
            const int64_t end_column = task.first_column + task.columns;
            ASSERT_GT(task.rows, 0);
            ASSERT_GT(task.columns, 0);
            ASSERT_LE(task.rows, problem.task_rows);
            ASSERT_EQ(task.first_row % problem.row_tile, 0);
            ASSERT_EQ(task.first_column % problem.panel, 0);
            ASSERT_TRUE(end_row % problem.row_tile == 0 || end_row == rows);
            ASSERT_TRUE(end_column % problem.panel == 0 || end_column == columns);
            ASSERT_LE(end_row, rows);
            ASSERT_LE(end_column, columns);
            for (int64_t tile = task.first_row / 32; tile * 32 < end_row; ++tile) {
              for (int64_t panel = task.first_column / 32; panel * 32 < end_column; ++panel) {
                ++covered[static_cast<size_t>(tile * panels + panel)];
              }
            }
          }
          EXPECT_EQ(covered, std::vector<int>(covered.size(), 1));
        }
      }
    }
  }
}

// Each thread's contiguous share of the tasks, as ThreadPool divides them.
std::set<int64_t> FirstRowsOf(const LinearPlan& plan, int64_t thread, int64_t threads) {
  std::set<int64_t> rows;
  for (int64_t i = thread * plan.size() / threads; i < (thread + 1) * plan.size() / threads; ++i) {
    rows.insert(plan[i].first_row);
  }
  return rows;
}

TEST(LinearPlan, ThreadsHaveTheirOwnRowsWhereTilesDivideEvenly) {
  const LinearPlan plan(Problem(64 * 32, 1024, 4));
  std::set<int64_t> all;
  size_t count = 0;
  for (int64_t thread = 0; thread < 4; ++thread) {
    const std::set<int64_t> rows = FirstRowsOf(plan, thread, 4);
    all.insert(rows.begin(), rows.end());
    count += rows.size();
  }
  EXPECT_EQ(all.size(), count);
}

TEST(LinearPlan, ThreadsSharePanelsWhereTilesDoNotDivideEvenly) {
  const LinearPlan plan(Problem(5 * 32, 1024, 4));
  for (int64_t thread = 0; thread < 4; ++thread) {
    EXPECT_EQ(FirstRowsOf(plan, thread, 4), FirstRowsOf(plan, 0, 4));
  }
}

TEST(LinearPlan, TasksAreSmallerWhereRowsStayCached) {
  EXPECT_GT(LinearPlan(Problem(1576, 3072, 2, true)).size(),
            LinearPlan(Problem(1576, 3072, 2, false)).size());
}

}  // namespace
}  // namespace calfvo
