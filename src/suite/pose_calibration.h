// SPDX-License-Identifier: Apache-2.0
// Whether the covariances of poses are right, and how errors go on from step to step.
#pragma once

#include <optional>
#include <span>

#include "calfvo/trajectory.h"
#include "run/pose_steps.h"
#include "suite/suite_result.h"

namespace calfvo {

// `truth`, `estimate` and `steps` have one entry per frame. Poses count from the first frame on, so that
// nothing is known where that has no true pose, or the estimate no covariances. Sums are unknown where there
// are no kSummedSteps neighbouring steps with truth and confidence.
PoseCalibration CalibratePoses(std::span<const std::optional<Rigid3>> truth, const Trajectory& estimate,
                               std::span<const PoseStep> steps);

// The correlation ρ of neighbouring errors, of errors k apart ρ^k, that gives PoseCalibration's sums; 0 to
// 0.999. Unknown for what is unknown.
double CorrelationOfSums(double sums);

}  // namespace calfvo
