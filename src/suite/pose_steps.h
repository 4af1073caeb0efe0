// SPDX-License-Identifier: Apache-2.0
// What poses.csv of `calfvo run` says beside the poses.
#pragma once

#include <filesystem>
#include <vector>

#include "suite/suite_result.h"

namespace calfvo {

// The step to a frame from the one before.
struct PoseStep {
  double estimates = 0.0;                 // how many windows had a say
  double sigma_translation_m = kUnknown;  // per axis; unknown where the model has no confidence
  double sigma_rotation_rad = kUnknown;
};

// One per row. Throws Error with file and line.
std::vector<PoseStep> ReadPoseSteps(const std::filesystem::path& poses_csv);

}  // namespace calfvo
