// SPDX-License-Identifier: Apache-2.0
// Value types for poses. Quaternions and 6×6 matrices are stored unaligned, so that their layout does not
// depend on the instruction set a caller compiles for.
//
// Names: `b_from_a` maps coordinates in frame a to coordinates in frame b, so that
// `c_from_a = c_from_b * b_from_a` reads without crossing. Cameras look along +z, x right, y down (OpenCV).
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace calfvo {

// Unaligned double-precision Eigen types.
using Quaternion = Eigen::Quaternion<double, Eigen::DontAlign>;
using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::DontAlign>;
using Vector6 = Eigen::Matrix<double, 6, 1, Eigen::DontAlign>;

// A rotation followed by a translation: x_in_b = rotation · x_in_a + translation. `rotation` has unit norm.
struct Rigid3 {
  Quaternion rotation = Quaternion::Identity();
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();

  Rigid3 Inverse() const {
    const Quaternion inverse = rotation.conjugate();
    return {inverse, -(inverse * translation)};
  }
};

inline Rigid3 operator*(const Rigid3& c_from_b, const Rigid3& b_from_a) {
  return {(c_from_b.rotation * b_from_a.rotation).normalized(),
          c_from_b.rotation * b_from_a.translation + c_from_b.translation};
}

inline Eigen::Vector3d operator*(const Rigid3& b_from_a, const Eigen::Vector3d& x_in_a) {
  return b_from_a.rotation * x_in_a + b_from_a.translation;
}

// A similarity: x_in_b = scale · rotation · x_in_a + translation, with scale > 0.
struct Similarity3 {
  double scale = 1.0;
  Quaternion rotation = Quaternion::Identity();
  Eigen::Vector3d translation = Eigen::Vector3d::Zero();

  Similarity3 Inverse() const {
    const Quaternion inverse = rotation.conjugate();
    return {1.0 / scale, inverse, -(inverse * translation) / scale};
  }
};

inline Similarity3 operator*(const Similarity3& c_from_b, const Similarity3& b_from_a) {
  return {c_from_b.scale * b_from_a.scale, (c_from_b.rotation * b_from_a.rotation).normalized(),
          c_from_b.scale * (c_from_b.rotation * b_from_a.translation) + c_from_b.translation};
}

inline Eigen::Vector3d operator*(const Similarity3& b_from_a, const Eigen::Vector3d& x_in_a) {
  return b_from_a.scale * (b_from_a.rotation * x_in_a) + b_from_a.translation;
}

}  // namespace calfvo
