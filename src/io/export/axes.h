// SPDX-License-Identifier: Apache-2.0
// The axes of other tools. calfvo's are OpenCV's: the world is the first camera's frame, x right, y down,
// z ahead, and so is each camera's. docs/export.md has the table.
#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "calfvo/geometry.h"

namespace calfvo {

struct Axes {
  Quaternion world_from_calfvo;   // a rotation of the world's axes
  Quaternion camera_from_calfvo;  // of the camera's
};

// TUM, KITTI, EuRoC, COLMAP.
inline Axes OpenCvAxes() {
  return {Quaternion::Identity(), Quaternion::Identity()};
}
// REP 103: x ahead, y left, z up, for the world (odom) and the body (camera_link).
inline Axes RosAxes() {
  const Quaternion ros_from_calfvo(0.5, -0.5, 0.5, -0.5);
  return {ros_from_calfvo, ros_from_calfvo};
}
// glTF: x right, y up, z back, for the world and the camera.
inline Axes GltfAxes() {
  const Quaternion half_turn(0.0, 1.0, 0.0, 0.0);  // about x
  return {half_turn, half_turn};
}
// Blender, nerfstudio, instant-ngp: the world's x right, y ahead, z up; OpenGL's camera as glTF's.
inline Axes ZUpAxes() {
  return {Quaternion(std::sqrt(0.5), -std::sqrt(0.5), 0.0, 0.0), GltfAxes().camera_from_calfvo};
}

inline Rigid3 InAxes(const Axes& axes, const Rigid3& world_from_camera) {
  return {(axes.world_from_calfvo * world_from_camera.rotation * axes.camera_from_calfvo.conjugate())
              .normalized(),
          axes.world_from_calfvo * world_from_camera.translation};
}

// The one of q and −q that is nearer to `before`: interpolation between the two takes the short way.
inline Quaternion NearerSign(const Quaternion& before, Quaternion q) {
  if (before.coeffs().dot(q.coeffs()) < 0.0) q.coeffs() *= -1.0;
  return q;
}

}  // namespace calfvo
