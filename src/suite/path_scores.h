// SPDX-License-Identifier: Apache-2.0
// Numbers of one sequence: of an estimate, and of baselines that see nothing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "calfvo/evaluation.h"
#include "run/pose_steps.h"
#include "suite/suite_result.h"

namespace calfvo {

// What `calfvo eval` says of the two, as is and with --align sim3.
PathScores ScorePath(const Trajectory& reference, const Trajectory& estimate);

// A camera that stays where it was at first.
Trajectory ZeroMotion(const Trajectory& reference);

// The same motion again and again: of all motions the one with the least mean error per step, which only
// somebody who knows the truth can choose. Needs two poses.
Trajectory ConstantMotion(const Trajectory& reference);

// What the step to frame `i` is off: about the axes of the camera at i, along those of the one before.
// Nothing without the truth of both.
struct StepError {
  Eigen::Vector3d rotation_rad;
  Eigen::Vector3d translation_m;
};
std::optional<StepError> ErrorOfStep(std::span<const std::optional<Rigid3>> truth,
                                     std::span<const Rigid3> estimate, size_t i);

// `truth`, `estimate` and `steps` have one entry per frame; steps between frames that both have a true pose
// count. Empty where there are none, or none with confidence.
StepCalibration CalibrateSteps(std::span<const std::optional<Rigid3>> truth, std::span<const Rigid3> estimate,
                               std::span<const PoseStep> steps);

// Over the steps, of which there is one less than poses; unknown where there are none.
double EstimatesPerPair(std::span<const PoseStep> steps);

}  // namespace calfvo
