// SPDX-License-Identifier: Apache-2.0
// Rotation vectors and poses in between, for host and GPU. A rotation vector is axis · angle in radians, as
// in core/geometry/so3.h, here in float and without allocation.
#pragma once

#include <cmath>

#include "core/portable/host_device.h"
#include "core/portable/vec3.h"

namespace calfvo::motion {

using portable::Mat3;
using portable::Pose;
using portable::Vec3;

// The rotation by |v| about v; any |v| is allowed.
CALFVO_HD Mat3 ExpRotation(Vec3 v) {
  const float squared = Dot(v, v);
  // Below 1e-3 rad the series is exact in float and has no division by zero.
  const bool tiny = squared < 1e-6F;
  const float angle = sqrtf(squared);
  const float a = tiny ? 1.0F - squared / 6.0F : sinf(angle) / angle;
  const float half = sinf(0.5F * angle);
  const float b = tiny ? 0.5F - squared / 24.0F : 2.0F * half * half / squared;
  Mat3 m;
  m.x = Vec3{1.0F - b * (v.y * v.y + v.z * v.z), b * v.x * v.y + a * v.z, b * v.x * v.z - a * v.y};
  m.y = Vec3{b * v.x * v.y - a * v.z, 1.0F - b * (v.x * v.x + v.z * v.z), b * v.y * v.z + a * v.x};
  m.z = Vec3{b * v.x * v.z + a * v.y, b * v.y * v.z - a * v.x, 1.0F - b * (v.x * v.x + v.y * v.y)};
  return m;
}

// The shortest v with ExpRotation(v) = m, |v| ≤ π. Goes through the quaternion, whose largest coefficient is
// found first, so that no angle loses its digits.
CALFVO_HD Vec3 LogRotation(const Mat3& m) {
  const float xx = m.x.x, yy = m.y.y, zz = m.z.z;
  float w = 0.0F;
  Vec3 q;
  if (xx + yy + zz > 0.0F) {
    w = 1.0F + xx + yy + zz;
    q = Vec3{m.y.z - m.z.y, m.z.x - m.x.z, m.x.y - m.y.x};
  } else if (xx >= yy && xx >= zz) {
    w = m.y.z - m.z.y;
    q = Vec3{1.0F + xx - yy - zz, m.x.y + m.y.x, m.x.z + m.z.x};
  } else if (yy >= zz) {
    w = m.z.x - m.x.z;
    q = Vec3{m.x.y + m.y.x, 1.0F + yy - xx - zz, m.y.z + m.z.y};
  } else {
    w = m.x.y - m.y.x;
    q = Vec3{m.x.z + m.z.x, m.y.z + m.z.y, 1.0F + zz - xx - yy};
  }
  const float length = Norm(q);
  if (length < 1e-12F) return {};
  const float sign = w < 0.0F ? -1.0F : 1.0F;
  return q * (sign * 2.0F * atan2f(length, fabsf(w)) / length);
}

// The rotation nearest to a matrix that has drifted from one by rounding.
CALFVO_HD Mat3 Orthonormalized(const Mat3& m) {
  const Vec3 z = Normalized(m.z);
  const Vec3 x = Normalized(m.x - z * Dot(m.x, z));
  return {x, Cross(z, x), z};
}

// The motion of a fraction `s` of an interval whose whole motion is `next`: the position moves on a straight
// line and the angular velocity is constant. s = 0 gives the identity, s = 1 gives `next`; s outside [0, 1]
// extrapolates, as a rolling shutter that outlasts its frame needs.
CALFVO_HD Pose PartOf(const Pose& next, float s) {
  return {ExpRotation(LogRotation(next.rotation) * s), next.translation * s};
}

// The pose at the fraction `s` between `a` and `b`, both world_from_camera, moving as in PartOf.
CALFVO_HD Pose PoseBetween(const Pose& a, const Pose& b, float s) {
  return a * PartOf(Inverse(a) * b, s);
}

}  // namespace calfvo::motion
