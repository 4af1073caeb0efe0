// SPDX-License-Identifier: Apache-2.0
// Errors of estimated intrinsics over the true ones of datasets: Table S3 of the paper.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "eval/tables/result_table.h"
#include "eval/tables/suite_numbers.h"
#include "io/datasets/sequence.h"

namespace calfvo {

struct IntrinsicsErrors {
  double focal = 0.0;         // |Δf| / f, f the mean of fx and fy
  double principal_px = 0.0;  // distance of the principal points
  double axis_deg = 0.0;      // by which that turns the optical axis: arctan(distance / f)
};
IntrinsicsErrors CompareIntrinsics(const CameraIntrinsics& truth, const CameraIntrinsics& estimate);

// Estimates of any method, one line per sequence: `kind name fx fy cx cy`, blank-separated, in pixels of the
// images as they are stored. `#` begins a comment line. Throws Error naming file and line.
IntrinsicsFile ReadIntrinsicsFile(const std::filesystem::path& path);

// Rows of the paper, of SuiteNumbers::intrinsics_files, and of the cameras that refinement estimated.
ResultTable IntrinsicsTable(const SuiteNumbers& numbers);

}  // namespace calfvo
