// SPDX-License-Identifier: Apache-2.0
// What poses.csv of `calfvo run` says beside the poses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <vector>

namespace calfvo {

// The step to a frame from the one before. Standard deviations are per axis, and not a number where the model
// has no confidence.
struct PoseStep {
  double estimates = 0.0;  // how many windows had a say
  double sigma_translation_m = std::numeric_limits<double>::quiet_NaN();
  double sigma_rotation_rad = std::numeric_limits<double>::quiet_NaN();
  int64_t frame = 0;  // the frame's number in the input
};

// One per row. Throws Error with file and line.
std::vector<PoseStep> ReadPoseSteps(const std::filesystem::path& poses_csv);

}  // namespace calfvo
