// SPDX-License-Identifier: Apache-2.0
// Calibration of the poses' covariances, and the correlation of errors from edge to edge.
#pragma once

#include <optional>
#include <span>

#include "calfvo/trajectory.h"
#include "core/trajectory/edge_record.h"
#include "eval/tables/suite_result.h"

namespace calfvo {

// `truth`, `estimate` and `edges` have one entry per frame. Poses count from the first frame on, so that
// nothing is known where that has no true pose, or the estimate no covariances. Sums are unknown with fewer
// than kSummedEdges neighbouring edges with truth and confidence.
PoseCalibration CalibratePoses(std::span<const std::optional<Rigid3>> truth, const Trajectory& estimate,
                               std::span<const EdgeRecord> edges);

// The correlation ρ of neighbouring errors, of errors k apart ρ^k, that gives PoseCalibration's sums; 0 to
// 0.999. Unknown for what is unknown.
double CorrelationOfSums(double sums);

}  // namespace calfvo
