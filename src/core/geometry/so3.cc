// SPDX-License-Identifier: Apache-2.0
#include "core/geometry/so3.h"

#include <algorithm>
#include <cmath>

namespace calfvo {
namespace {

// Below this angle the first term of a series is exact to double precision: the next is smaller by θ²/6.
constexpr double kTinyAngle = 1e-8;

// Eigen's norm squares, and so loses everything below 1e-154.
double Norm(const Eigen::Vector3d& v) {
  return std::hypot(v.x(), v.y(), v.z());
}

Quaternion FromParts(double w, const Eigen::Vector3d& v) {
  return {w, v.x(), v.y(), v.z()};
}

}  // namespace

Eigen::Matrix3d Hat(const Eigen::Vector3d& v) {
  Eigen::Matrix3d hat;
  hat << 0.0, -v.z(), v.y(),  //
      v.z(), 0.0, -v.x(),     //
      -v.y(), v.x(), 0.0;
  return hat;
}

Quaternion ExpSO3(const Eigen::Vector3d& rotation_vector) {
  const double angle = Norm(rotation_vector);
  const double sin_half_over_angle = angle < kTinyAngle ? 0.5 : std::sin(0.5 * angle) / angle;
  return FromParts(std::cos(0.5 * angle), sin_half_over_angle * rotation_vector);
}

Eigen::Vector3d LogSO3(const Quaternion& rotation) {
  const Quaternion q = CanonicalSign(rotation);
  const Eigen::Vector3d v = q.vec();
  const double norm = Norm(v);
  if (norm == 0.0) return Eigen::Vector3d::Zero();
  const double angle_over_norm =
      norm < kTinyAngle * q.w() ? 2.0 / q.w() : 2.0 * std::atan2(norm, q.w()) / norm;
  return angle_over_norm * v;
}

double RotationAngle(const Quaternion& rotation) {
  return 2.0 * std::atan2(Norm(rotation.vec()), std::abs(rotation.w()));
}

double AngleBetween(const Quaternion& a, const Quaternion& b) {
  // Half the difference and half the sum of two unit vectors are the sine and cosine of half the angle
  // between them, and that angle is half the rotation's (Kahan's formula). a − b is free of rounding where it
  // is small, which a product of quaternions is not.
  const double difference = (a.coeffs() - b.coeffs()).norm();
  const double sum = (a.coeffs() + b.coeffs()).norm();
  return 4.0 * std::atan2(std::min(difference, sum), std::max(difference, sum));
}

Quaternion CanonicalSign(const Quaternion& rotation) {
  for (const double value : {rotation.w(), rotation.x(), rotation.y(), rotation.z()}) {
    if (value > 0.0) break;
    if (value < 0.0) return FromParts(-rotation.w(), -rotation.vec());
  }
  return rotation;
}

Quaternion MinimalRotation(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  if (from.dot(to) >= 0.0) {
    const Eigen::Vector3d middle = (from + to).normalized();
    return FromParts(from.dot(middle), from.cross(middle)).normalized();
  }
  // Their sum may vanish here. Turn by π to −from, about the axis of the whole rotation as far as it is
  // known, and from there by what remains, which is less than a right angle.
  const Eigen::Vector3d normal = from.cross(to);
  const Eigen::Vector3d axis = normal.norm() > kTinyAngle
                                   ? Eigen::Vector3d(normal - normal.dot(from) * from).normalized()
                                   : Eigen::Vector3d(from.unitOrthogonal());
  return (MinimalRotation(-from, to) * FromParts(0.0, axis)).normalized();
}

}  // namespace calfvo
