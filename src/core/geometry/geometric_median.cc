// SPDX-License-Identifier: Apache-2.0
#include "core/geometry/geometric_median.h"

#include <algorithm>

namespace calfvo {

Eigen::Vector3d GeometricMedian(std::span<const Eigen::Vector3d> points) {
  Eigen::Vector3d median = Eigen::Vector3d::Zero();
  for (const auto& point : points) median += point / static_cast<double>(points.size());
  for (int iteration = 0; iteration < 100; ++iteration) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    double weights = 0.0;
    for (const auto& point : points) {
      const double weight = 1.0 / std::max((point - median).norm(), 1e-9);
      sum += weight * point;
      weights += weight;
    }
    const double moved = (sum / weights - median).norm();
    median = sum / weights;
    // The harmonic mean of the distances measures how far apart the points are.
    if (moved <= 1e-10 * static_cast<double>(points.size()) / weights) break;
  }
  return median;
}

}  // namespace calfvo
