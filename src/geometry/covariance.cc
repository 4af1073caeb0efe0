// SPDX-License-Identifier: Apache-2.0
#include "geometry/covariance.h"

#include "geometry/so3.h"

namespace calfvo {

Matrix6 ComposeCovariance(const Matrix6& covariance_a, const Rigid3& world_from_a, const Rigid3& a_from_b,
                          const Matrix6& edge_covariance) {
  const Eigen::Matrix3d world_from_a_rotation = world_from_a.rotation.toRotationMatrix();
  Matrix6 f = Matrix6::Identity();
  f.topRightCorner<3, 3>() = -world_from_a_rotation * Hat(a_from_b.translation);
  f.bottomRightCorner<3, 3>() = a_from_b.rotation.toRotationMatrix().transpose();
  Matrix6 g = Matrix6::Identity();
  g.topLeftCorner<3, 3>() = world_from_a_rotation;

  const Matrix6 sum = f * covariance_a * f.transpose() + g * edge_covariance * g.transpose();
  return 0.5 * (sum + sum.transpose());
}

Matrix6 IsotropicCovariance(double sigma_t_squared, double sigma_r_squared) {
  Matrix6 covariance = Matrix6::Zero();
  covariance.diagonal().head<3>().setConstant(sigma_t_squared);
  covariance.diagonal().tail<3>().setConstant(sigma_r_squared);
  return covariance;
}

}  // namespace calfvo
