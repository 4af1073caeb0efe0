// SPDX-License-Identifier: Apache-2.0
// Calibration of the edges' uncertainties: a table and a reliability diagram.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "eval/plot/figure.h"
#include "eval/tables/coverage.h"
#include "eval/tables/result_table.h"
#include "eval/tables/suite_numbers.h"

namespace calfvo {

// Sequences that are looked at together; means over them.
struct CalibrationSet {
  std::string name;
  Coverage rotation;
  Coverage translation;
  PoseCalibration poses;
};

// One per dataset. Folders in the layout of TUM can be anything, so those make one set per folder that they
// lie in, under its name. With several sets, one of all sequences comes last.
std::vector<CalibrationSet> CalibrationSets(const SuiteNumbers& numbers);

// Observed over expected shares of errors, rotation above translation, with a line per set. Where errors are
// normal with the predicted σ, lines are the diagonal; below it, the model is overconfident.
Figure ReliabilityFigure(std::span<const CalibrationSet> sets);

// Shares within one and two standard deviations and what would put them right, a row per set, with the
// figure.
ResultTable CalibrationTable(const SuiteNumbers& numbers);

// The same of poses, and the correlation of neighbouring edges.
ResultTable PosesTable(const SuiteNumbers& numbers);

}  // namespace calfvo
