// SPDX-License-Identifier: Apache-2.0
// Vectors and rotations in float, for host and GPU. Same conventions as calfvo/geometry.h.
#pragma once

#include <cmath>

#include "core/portable/host_device.h"

namespace calfvo::portable {

struct Vec3 {
  float x = 0.0F;
  float y = 0.0F;
  float z = 0.0F;
};

CALFVO_HD Vec3 operator+(Vec3 a, Vec3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
CALFVO_HD Vec3 operator-(Vec3 a, Vec3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
CALFVO_HD Vec3 operator-(Vec3 a) {
  return {-a.x, -a.y, -a.z};
}
CALFVO_HD Vec3 operator*(Vec3 a, Vec3 b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
CALFVO_HD Vec3 operator*(Vec3 a, float s) {
  return {a.x * s, a.y * s, a.z * s};
}
CALFVO_HD Vec3 operator*(float s, Vec3 a) {
  return a * s;
}
CALFVO_HD Vec3 operator/(Vec3 a, float s) {
  return a * (1.0F / s);
}
CALFVO_HD Vec3& operator+=(Vec3& a, Vec3 b) {
  return a = a + b;
}
CALFVO_HD float Dot(Vec3 a, Vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
CALFVO_HD Vec3 Cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
CALFVO_HD float Norm(Vec3 a) {
  return sqrtf(Dot(a, a));
}
CALFVO_HD Vec3 Normalized(Vec3 a) {
  return a * (1.0F / Norm(a));
}

// A rotation matrix by its columns.
struct Mat3 {
  Vec3 x{1.0F, 0.0F, 0.0F};
  Vec3 y{0.0F, 1.0F, 0.0F};
  Vec3 z{0.0F, 0.0F, 1.0F};
};

CALFVO_HD Vec3 operator*(const Mat3& m, Vec3 v) {
  return m.x * v.x + m.y * v.y + m.z * v.z;
}
CALFVO_HD Mat3 operator*(const Mat3& a, const Mat3& b) {
  return {a * b.x, a * b.y, a * b.z};
}
CALFVO_HD Mat3 Transposed(const Mat3& m) {
  return {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}

// x_in_b = rotation · x_in_a + translation.
struct Pose {
  Mat3 rotation;
  Vec3 translation;
};

CALFVO_HD Vec3 operator*(const Pose& b_from_a, Vec3 x_in_a) {
  return b_from_a.rotation * x_in_a + b_from_a.translation;
}
CALFVO_HD Pose operator*(const Pose& c_from_b, const Pose& b_from_a) {
  return {c_from_b.rotation * b_from_a.rotation, c_from_b * b_from_a.translation};
}
CALFVO_HD Pose Inverse(const Pose& b_from_a) {
  const Mat3 inverse = Transposed(b_from_a.rotation);
  return {inverse, -(inverse * b_from_a.translation)};
}

}  // namespace calfvo::portable
