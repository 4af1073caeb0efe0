// SPDX-License-Identifier: Apache-2.0
// The covariance of an adjustment's result.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "refine/adjustment.h"

namespace calfvo {

// Covariances at the minimum, from the Gauss–Newton approximation with points eliminated. Robust losses count
// with their weights there.
struct Posterior {
  Eigen::Matrix<double, kCameraParams, kCameraParams> camera =
      Eigen::Matrix<double, kCameraParams, kCameraParams>::Zero();
  // Per edge between consecutive keyframes: (ε_t, ε_R) as in core/geometry/covariance.h.
  std::vector<Matrix6> edges = {};
};

// Dense: memory grows with the square of the number of keyframes.
Posterior ComputePosterior(const Adjustment& adjustment, const AdjustOptions& options);

}  // namespace calfvo
