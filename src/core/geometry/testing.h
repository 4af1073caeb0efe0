// SPDX-License-Identifier: Apache-2.0
// Random values for the tests of geometry and of what builds on it. Included by *_test.cc files only.
#pragma once

#include <Eigen/Core>
#include <random>

#include "calfvo/geometry.h"

namespace calfvo {

// Independent standard normal elements.
inline Eigen::Vector3d RandomVector(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const double x = normal(random);
  const double y = normal(random);
  return {x, y, normal(random)};
}

inline Eigen::Matrix3d RandomMatrix3(std::mt19937_64& random) {
  Eigen::Matrix3d matrix;
  for (int i = 0; i < 3; ++i) matrix.col(i) = RandomVector(random);
  return matrix;
}

// Uniform over all rotations; either sign of the quaternion.
inline Quaternion RandomRotation(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const Eigen::Vector3d v = RandomVector(random);
  return Quaternion(normal(random), v.x(), v.y(), v.z()).normalized();
}

inline Rigid3 RandomRigid(std::mt19937_64& random) {
  const Quaternion rotation = RandomRotation(random);
  return {rotation, RandomVector(random)};
}

}  // namespace calfvo
