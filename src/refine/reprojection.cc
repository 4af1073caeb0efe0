// SPDX-License-Identifier: Apache-2.0
#include "refine/reprojection.h"

#include <algorithm>

#include "core/geometry/so3.h"

namespace calfvo {
namespace {

// The derivative of Exp(δ + dδ) = Exp(δ)·Exp(J dδ).
Eigen::Matrix3d RightJacobian(const Eigen::Vector3d& delta) {
  const double angle = delta.norm();
  const Eigen::Matrix3d hat = Hat(delta);
  if (angle < 1e-4) return Eigen::Matrix3d::Identity() - 0.5 * hat + hat * hat / 6.0;
  const double square = angle * angle;
  return Eigen::Matrix3d::Identity() - (1.0 - std::cos(angle)) / square * hat +
         (angle - std::sin(angle)) / (square * angle) * hat * hat;
}

// Depths beyond which a projection is not trusted, relative to the anchor's depth of 1.
constexpr double kMinDepth = 1e-3;

}  // namespace

Rigid3 Corrected(const Rigid3& world_from_camera, const double* delta) {
  const Eigen::Map<const PoseDelta> d(delta);
  return {(world_from_camera.rotation * ExpSO3(d.head<3>())).normalized(),
          world_from_camera.translation + d.tail<3>()};
}

bool PredictPixel(const PointView& point, const double* anchor_delta, const double* view_delta,
                  double inverse_depth, const CameraParams& camera, Eigen::Vector2d& pixel,
                  PredictionJacobians* jacobians) {
  const Keyframe& a = *point.anchor;
  const Keyframe& j = *point.view;
  const Rigid3 pose_a = Corrected(a.world_from_camera, anchor_delta);
  const Rigid3 pose_j = Corrected(j.world_from_camera, view_delta);
  const double row_a = point.anchor_pixel.y() / point.image_height - 0.5;
  const double row_j = point.view_pixel.y() / point.image_height - 0.5;
  const double time_a = camera[kReadout] * row_a;
  const double time_j = camera[kReadout] * row_j;

  CameraJacobian direction_by_camera;
  const Eigen::Vector2d xy =
      Unproject(camera, point.anchor_pixel, jacobians != nullptr ? &direction_by_camera : nullptr);
  const Eigen::Matrix3d exp_a = ExpSO3(a.angular_velocity * time_a).toRotationMatrix();
  const Eigen::Matrix3d exp_j_inverse = ExpSO3(-j.angular_velocity * time_j).toRotationMatrix();
  const Eigen::Matrix3d rotation_a = pose_a.rotation.toRotationMatrix();
  const Eigen::Matrix3d rotation_j_inverse = pose_j.rotation.toRotationMatrix().transpose();

  const Eigen::Vector3d turned = exp_a * xy.homogeneous();
  const Eigen::Vector3d in_a = turned + inverse_depth * time_a * a.velocity;
  const Eigen::Vector3d baseline = pose_a.translation - pose_j.translation;
  const Eigen::Vector3d in_j = rotation_j_inverse * (rotation_a * in_a + inverse_depth * baseline);
  const Eigen::Vector3d h = exp_j_inverse * (in_j - inverse_depth * time_j * j.velocity);
  if (!(h.z() > kMinDepth)) return false;

  if (jacobians == nullptr) {
    pixel = Project(camera, h);
    return true;
  }
  Eigen::Matrix<double, 2, 3> by_h;
  pixel = Project(camera, h, &by_h, &jacobians->by_camera);
  const Eigen::Matrix3d to_view = exp_j_inverse * rotation_j_inverse;
  const Eigen::Matrix<double, 2, 3> by_world = by_h * to_view;
  const Eigen::Matrix<double, 2, 3> by_in_a = by_world * rotation_a;
  const Eigen::Vector3d delta_a(anchor_delta[0], anchor_delta[1], anchor_delta[2]);
  const Eigen::Vector3d delta_j(view_delta[0], view_delta[1], view_delta[2]);
  jacobians->by_anchor.leftCols<3>() = -by_in_a * Hat(in_a) * RightJacobian(delta_a);
  jacobians->by_anchor.rightCols<3>() = inverse_depth * by_world;
  jacobians->by_view.leftCols<3>() = by_h * exp_j_inverse * Hat(in_j) * RightJacobian(delta_j);
  jacobians->by_view.rightCols<3>() = -inverse_depth * by_world;
  jacobians->by_inverse_depth =
      by_in_a * (time_a * a.velocity) + by_world * baseline - by_h * (exp_j_inverse * (time_j * j.velocity));
  jacobians->by_camera += by_in_a * exp_a.leftCols<2>() * direction_by_camera;
  jacobians->by_camera.col(kReadout) =
      by_in_a * (row_a * (a.angular_velocity.cross(turned) + inverse_depth * a.velocity)) -
      by_h * (row_j * (j.angular_velocity.cross(h) + inverse_depth * (exp_j_inverse * j.velocity)));
  return true;
}

bool ReprojectionCost::Evaluate(const double* const* parameters, double* residuals,
                                double** jacobians) const {
  CameraParams camera;
  std::copy_n(parameters[3], camera.size(), camera.begin());
  Eigen::Vector2d pixel;
  PredictionJacobians derivatives;
  const bool visible = PredictPixel(point_, parameters[0], parameters[1], *parameters[2], camera, pixel,
                                    jacobians != nullptr ? &derivatives : nullptr);
  Eigen::Map<Eigen::Vector2d> residual(residuals);
  if (!visible) {  // a constant large error, which a robust loss ignores
    residual.setConstant(1e3);
    derivatives = {Eigen::Matrix<double, 2, 6>::Zero(), Eigen::Matrix<double, 2, 6>::Zero(),
                   Eigen::Vector2d::Zero(), CameraJacobian::Zero()};
  } else {
    residual = pixel - point_.view_pixel;
  }
  if (jacobians == nullptr) return true;
  const auto store = [](double* out, const auto& matrix) {
    if (out == nullptr) return;
    for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
      for (Eigen::Index c = 0; c < matrix.cols(); ++c) *out++ = matrix(r, c);
    }
  };
  store(jacobians[0], derivatives.by_anchor);
  store(jacobians[1], derivatives.by_view);
  store(jacobians[2], derivatives.by_inverse_depth);
  store(jacobians[3], derivatives.by_camera);
  return true;
}

}  // namespace calfvo
