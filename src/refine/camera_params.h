// SPDX-License-Identifier: Apache-2.0
// The camera as the adjustment parametrises it, in pixels of the images that are tracked.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>

namespace calfvo {

// Names of the entries of CameraParams.
enum CameraParam { kLogFocal, kCenterX, kCenterY, kReadout, kK1, kCameraParams };

// log f, principal point, readout in frame intervals, k1: see calfvo/camera.h for the model.
using CameraParams = std::array<double, kCameraParams>;
using CameraJacobian = Eigen::Matrix<double, 2, kCameraParams>;

// The direction (x, y, 1) seen at `pixel`, and its derivatives by the camera's parameters.
inline Eigen::Vector2d Unproject(const CameraParams& camera, const Eigen::Vector2d& pixel,
                                 CameraJacobian* by_camera = nullptr) {
  const double focal = std::exp(camera[kLogFocal]);
  const double k1 = camera[kK1];
  const Eigen::Vector2d distorted = (pixel - Eigen::Vector2d(camera[kCenterX], camera[kCenterY])) / focal;
  const double target = distorted.norm();
  double radius = target;  // solves radius · (1 + k1 radius²) = target by Newton
  if (k1 != 0.0) {
    for (int i = 0; i < 6; ++i) {
      const double slope = std::max(1.0 + 3.0 * k1 * radius * radius, 0.1);
      radius -= (radius * (1.0 + k1 * radius * radius) - target) / slope;
    }
  }
  const double stretch = 1.0 + k1 * radius * radius;
  Eigen::Vector2d x = distorted / stretch;
  if (by_camera != nullptr) {
    const Eigen::Matrix2d distorted_by_x =
        stretch * Eigen::Matrix2d::Identity() + 2.0 * k1 * x * x.transpose();
    const Eigen::Matrix2d x_by_distorted = distorted_by_x.inverse();
    by_camera->setZero();
    by_camera->col(kLogFocal) = -x_by_distorted * distorted;
    by_camera->col(kCenterX) = -x_by_distorted.col(0) / focal;
    by_camera->col(kCenterY) = -x_by_distorted.col(1) / focal;
    by_camera->col(kK1) = -x_by_distorted * (x.squaredNorm() * x);
  }
  return x;
}

// The pixel of the camera point `h` (h.z > 0), and its derivatives.
inline Eigen::Vector2d Project(const CameraParams& camera, const Eigen::Vector3d& h,
                               Eigen::Matrix<double, 2, 3>* by_point = nullptr,
                               CameraJacobian* by_camera = nullptr) {
  const double focal = std::exp(camera[kLogFocal]);
  const double k1 = camera[kK1];
  const Eigen::Vector2d x = h.head<2>() / h.z();
  const double r2 = x.squaredNorm();
  const double stretch = 1.0 + k1 * r2;
  const Eigen::Vector2d centered = focal * stretch * x;
  if (by_point != nullptr) {
    const Eigen::Matrix2d by_x =
        focal * (stretch * Eigen::Matrix2d::Identity() + 2.0 * k1 * x * x.transpose());
    by_point->leftCols<2>() = by_x / h.z();
    by_point->col(2) = -by_x * x / h.z();
  }
  if (by_camera != nullptr) {
    by_camera->setZero();
    by_camera->col(kLogFocal) = centered;
    (*by_camera)(0, kCenterX) = 1.0;
    (*by_camera)(1, kCenterY) = 1.0;
    by_camera->col(kK1) = focal * r2 * x;
  }
  return centered + Eigen::Vector2d(camera[kCenterX], camera[kCenterY]);
}

}  // namespace calfvo
