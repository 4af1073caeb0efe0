// SPDX-License-Identifier: Apache-2.0
#include "geometry/covariance.h"

#include "geometry/so3.h"

namespace calfvo {
namespace {

// F and G of the header.
struct Jacobians {
  Matrix6 f = Matrix6::Identity();
  Matrix6 g = Matrix6::Identity();

  Jacobians(const Rigid3& world_from_a, const Rigid3& a_from_b) {
    const Eigen::Matrix3d world_from_a_rotation = world_from_a.rotation.toRotationMatrix();
    f.topRightCorner<3, 3>() = -world_from_a_rotation * Hat(a_from_b.translation);
    f.bottomRightCorner<3, 3>() = a_from_b.rotation.toRotationMatrix().transpose();
    g.topLeftCorner<3, 3>() = world_from_a_rotation;
  }
};

Matrix6 SymmetricPart(const Matrix6& matrix) {
  return 0.5 * (matrix + matrix.transpose());
}

}  // namespace

Matrix6 ComposeCovariance(const Matrix6& covariance_a, const Rigid3& world_from_a, const Rigid3& a_from_b,
                          const Matrix6& edge_covariance) {
  const auto [f, g] = Jacobians(world_from_a, a_from_b);
  return SymmetricPart(f * covariance_a * f.transpose() + g * edge_covariance * g.transpose());
}

Matrix6 IsotropicCovariance(double sigma_t_squared, double sigma_r_squared) {
  Matrix6 covariance = Matrix6::Zero();
  covariance.diagonal().head<3>().setConstant(sigma_t_squared);
  covariance.diagonal().tail<3>().setConstant(sigma_r_squared);
  return covariance;
}

CovarianceChain::CovarianceChain(const StepCorrelation& correlation) {
  correlation_.head<3>().setConstant(correlation.translation);
  correlation_.tail<3>().setConstant(correlation.rotation);
}

void CovarianceChain::Add(const Rigid3& world_from_a, const Rigid3& a_from_b, double sigma_translation,
                          double sigma_rotation) {
  const auto [f, g] = Jacobians(world_from_a, a_from_b);
  Vector6 sigmas;
  sigmas.head<3>().setConstant(sigma_translation);
  sigmas.tail<3>().setConstant(sigma_rotation);
  const Matrix6 step = g * sigmas.asDiagonal();                       // b' to the end's errors
  const Matrix6 before = f * with_step_ * correlation_.asDiagonal();  // those of a, at b, with b'
  const Matrix6 shared = before * step.transpose();
  covariance_ =
      SymmetricPart(f * covariance_ * f.transpose() + shared + shared.transpose() + step * step.transpose());
  with_step_ = before + step;
}

}  // namespace calfvo
