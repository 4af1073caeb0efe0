// SPDX-License-Identifier: Apache-2.0
// Numbers of one sequence: of an estimate, and of baselines that see nothing.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "calfvo/evaluation.h"
#include "core/trajectory/edge_record.h"
#include "eval/tables/suite_result.h"

namespace calfvo {

// What `calfvo eval` reports for the two, as is and with --align sim3.
PathScores ScorePath(const Trajectory& reference, const Trajectory& estimate);

// A camera that stays where it was at first.
Trajectory ZeroMotion(const Trajectory& reference);

// One motion repeated: of all motions the one with the least mean error per edge, chosen with
// the truth. Needs two poses.
Trajectory ConstantMotion(const Trajectory& reference);

// The error of the edge to frame `i`: about the axes of the camera at i, along those of the one before.
// Nothing without the truth of both.
struct EdgeError {
  Eigen::Vector3d rotation_rad;
  Eigen::Vector3d translation_m;
};
std::optional<EdgeError> ErrorOfEdge(std::span<const std::optional<Rigid3>> truth,
                                     std::span<const Rigid3> estimate, size_t i);

// `truth`, `estimate` and `edges` have one entry per frame; edges between frames that both have a true pose
// count. Empty where there are none, or none with confidence.
EdgeCalibration CalibrateEdges(std::span<const std::optional<Rigid3>> truth, std::span<const Rigid3> estimate,
                               std::span<const EdgeRecord> edges);

// Over the edges, of which there is one less than poses; unknown where there are none.
double EstimatesPerPair(std::span<const EdgeRecord> edges);

}  // namespace calfvo
