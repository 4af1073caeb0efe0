// SPDX-License-Identifier: Apache-2.0
#include "core/geometry/geometric_median.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace calfvo {
namespace {

TEST(GeometricMedian, OneFarPointOfFourMovesNothing) {
  const Eigen::Vector3d common(1.0, -2.0, 0.5);
  const std::vector<Eigen::Vector3d> points = {common, common, {100.0, 0.0, 0.0}, common};
  EXPECT_LE((GeometricMedian(points) - common).norm(), 1e-6);
}

// Of a triangle with angles below 120° it is the point from which all sides are seen at 120°.
TEST(GeometricMedian, OfATriangleIsFermatsPoint) {
  const std::vector<Eigen::Vector3d> points = {{0.0, 0.0, 3.0}, {4.0, 0.0, 3.0}, {1.0, 3.0, 3.0}};
  const Eigen::Vector3d median = GeometricMedian(points);
  for (size_t i = 0; i < 3; ++i) {
    const Eigen::Vector3d a = (points[i] - median).normalized();
    const Eigen::Vector3d b = (points[(i + 1) % 3] - median).normalized();
    EXPECT_NEAR(a.dot(b), -0.5, 1e-6);
  }
}

}  // namespace
}  // namespace calfvo
