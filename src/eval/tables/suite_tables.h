// SPDX-License-Identifier: Apache-2.0
// The paper's tables, with the numbers of a suite beside those that were printed.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "eval/tables/result_table.h"
#include "eval/tables/suite_numbers.h"

namespace calfvo {

struct SuiteTable {
  std::string_view name;
  ResultTable (*make)(const SuiteNumbers& numbers);
  bool has_figure = false;  // always, or never
};

// In the order of printing. `overlap` needs runs of its own, and `intrinsics` refinement or files of
// estimates.
std::span<const SuiteTable> SuiteTables();

// The overlaps of the paper's sweep.
std::vector<int> SweptOverlaps(const PaperTables& paper);

}  // namespace calfvo
