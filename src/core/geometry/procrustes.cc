// SPDX-License-Identifier: Apache-2.0
#include "core/geometry/procrustes.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>

#include "calfvo/error.h"
#include "core/geometry/so3.h"

namespace calfvo {
namespace {

void CheckFinite(const Eigen::Matrix3d& matrix) {
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      if (std::isfinite(matrix(row, column))) continue;
      throw Error(fmt::format("cannot find the nearest rotation: element ({}, {}) of the matrix is {}", row,
                              column, matrix(row, column)));
    }
  }
}

}  // namespace

RotationFit FitRotation(const Eigen::Matrix3d& matrix, double tolerance) {
  CheckFinite(matrix);
  if (matrix.isZero(0.0)) return {Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero(), false};

  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(matrix, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d u = svd.matrixU();
  const Eigen::Matrix3d& v = svd.matrixV();
  Eigen::Vector3d sigma = svd.singularValues();
  if (u.determinant() * v.determinant() < 0.0) {
    u.col(2) = -u.col(2);
    sigma(2) = -sigma(2);
  }
  if (sigma(1) + sigma(2) <= tolerance * sigma(0)) {
    return {MinimalRotation(v.col(0), u.col(0)).toRotationMatrix(), sigma, false};
  }
  return {u * v.transpose(), sigma, true};
}

Eigen::Matrix3d NearestRotation(const Eigen::Matrix3d& matrix) {
  return FitRotation(matrix).rotation;
}

Eigen::Matrix3f NearestRotation(const Eigen::Matrix3f& matrix) {
  const Eigen::Matrix3d matrix_d = matrix.cast<double>();
  return FitRotation(matrix_d).rotation.cast<float>();
}

}  // namespace calfvo
