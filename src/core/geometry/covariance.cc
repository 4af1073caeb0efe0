// SPDX-License-Identifier: Apache-2.0
#include "core/geometry/covariance.h"

#include "core/geometry/so3.h"

namespace calfvo {

CovarianceChain::CovarianceChain(const EdgeCorrelation& correlation) {
  correlation_.head<3>().setConstant(correlation.translation);
  correlation_.tail<3>().setConstant(correlation.rotation);
}

void CovarianceChain::Add(const Rigid3& world_from_a, const Rigid3& a_from_b, double sigma_translation,
                          double sigma_rotation) {
  const Eigen::Matrix3d world_from_a_rotation = world_from_a.rotation.toRotationMatrix();
  Matrix6 f = Matrix6::Identity();
  f.topRightCorner<3, 3>() = -world_from_a_rotation * Hat(a_from_b.translation);
  f.bottomRightCorner<3, 3>() = a_from_b.rotation.toRotationMatrix().transpose();
  Matrix6 g = Matrix6::Identity();
  g.topLeftCorner<3, 3>() = world_from_a_rotation;
  Vector6 sigmas;
  sigmas.head<3>().setConstant(sigma_translation);
  sigmas.tail<3>().setConstant(sigma_rotation);

  const Matrix6 step = g * sigmas.asDiagonal();                       // b' to the end's errors
  const Matrix6 before = f * with_step_ * correlation_.asDiagonal();  // those of a, at b, with b'
  const Matrix6 shared = before * step.transpose();
  const Matrix6 sum = f * covariance_ * f.transpose() + shared + shared.transpose() + step * step.transpose();
  covariance_ = 0.5 * (sum + sum.transpose());
  with_step_ = before + step;
}

}  // namespace calfvo
