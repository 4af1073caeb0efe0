// SPDX-License-Identifier: Apache-2.0
// What a run knows of the relative pose that leads to a frame from the one before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <vector>

namespace calfvo {

// Standard deviations are per axis, NaN for a model without confidence.
struct EdgeRecord {
  int windows = 0;  // fused; 0 for the first frame
  double sigma_translation_m = std::numeric_limits<double>::quiet_NaN();
  double sigma_rotation_rad = std::numeric_limits<double>::quiet_NaN();
  int64_t frame = 0;  // index in the input
};

// The columns frame, windows, sigma_translation_m and sigma_rotation_rad of a run's poses.csv, one record per
// pose. Throws Error with file and line for a file without them and for values that are neither numbers nor,
// for the standard deviations, empty.
std::vector<EdgeRecord> ReadEdgeRecords(const std::filesystem::path& path);

}  // namespace calfvo
