// SPDX-License-Identifier: Apache-2.0
#include "geometry/se3.h"

#include "geometry/so3.h"

namespace calfvo {

Rigid3 ExpSE3(const Vector6& twist) {
  const Eigen::Vector3d rho = twist.head<3>();
  const Eigen::Vector3d phi = twist.tail<3>();
  return {ExpSO3(phi), LeftJacobianSO3(phi) * rho};
}

Vector6 LogSE3(const Rigid3& rigid) {
  const Eigen::Vector3d phi = LogSO3(rigid.rotation);
  Vector6 twist;
  twist << InverseLeftJacobianSO3(phi) * rigid.translation, phi;
  return twist;
}

}  // namespace calfvo
