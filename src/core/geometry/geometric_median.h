// SPDX-License-Identifier: Apache-2.0
// The middle of points, by distance.
#pragma once

#include <Eigen/Core>
#include <span>

namespace calfvo {

// The point with the least mean distance to `points`, of which there is at least one; by Weiszfeld's
// iteration, to about 1e-6 of their spread.
Eigen::Vector3d GeometricMedian(std::span<const Eigen::Vector3d> points);

}  // namespace calfvo
