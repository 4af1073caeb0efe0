// SPDX-License-Identifier: Apache-2.0
// A camera in motion: its pose at the time of a frame and its velocities around it, from which the pose at
// every row and every instant of the exposure follows.
#pragma once

#include "core/portable/noise.h"
#include "synth/scene/scene.h"

namespace calfvo {

// `world_from_camera` is the pose at `time_s`: the middle of the exposure of the middle row. That is the
// ground truth of a frame, also under rolling shutter.
struct PosedFrame {
  portable::Pose world_from_camera;
  portable::Vec3 velocity;          // m/s, in the world
  portable::Vec3 angular_velocity;  // rad/s, in the camera
  float time_s = 0.0F;
};

namespace synth {

// `v` turned by the rotation vector `w` (radians); accurate to 1e-7 for |w| < 0.5.
CALFVO_HD Vec3 Rotate(Vec3 w, Vec3 v) {
  const float a2 = Dot(w, w);
  const float sine = 1.0F - a2 * (1.0F / 6 - a2 * (1.0F / 120 - a2 * (1.0F / 5040)));
  const float cosine = 0.5F - a2 * (1.0F / 24 - a2 * (1.0F / 720));
  const Vec3 cross = Cross(w, v);
  return v + cross * sine + Cross(w, cross) * cosine;
}

// Directions and positions `dt` seconds after the time of the frame.
CALFVO_HD Vec3 DirectionToWorld(const PosedFrame& frame, float dt, Vec3 in_camera) {
  return frame.world_from_camera.rotation * Rotate(frame.angular_velocity * dt, in_camera);
}
CALFVO_HD Vec3 PositionAt(const PosedFrame& frame, float dt) {
  return frame.world_from_camera.translation + frame.velocity * dt;
}
CALFVO_HD Vec3 DirectionToCamera(const PosedFrame& frame, float dt, Vec3 in_world) {
  return Rotate(frame.angular_velocity * -dt, Transposed(frame.world_from_camera.rotation) * in_world);
}

// The rotation vector of a rotation by less than half a turn.
CALFVO_HD Vec3 RotationVector(const Mat3& m) {
  const Vec3 twice_sine{m.y.z - m.z.y, m.z.x - m.x.z, m.x.y - m.y.x};
  const float sine = 0.5F * Norm(twice_sine);
  const float cosine = 0.5F * (m.x.x + m.y.y + m.z.z - 1.0F);
  const float angle = atan2f(sine, cosine);
  return twice_sine * (sine > 1e-6F ? 0.5F * angle / sine : 0.5F);
}

// Sets the velocities of frame i from its neighbours (one-sided at the ends; zero for a single frame).
CALFVO_HD void SetVelocities(PosedFrame* frames, int count, int i) {
  const PosedFrame& a = frames[i > 0 ? i - 1 : i];
  const PosedFrame& b = frames[i + 1 < count ? i + 1 : i];
  const float dt = b.time_s - a.time_s;
  if (dt <= 0.0F) {
    frames[i].velocity = {};
    frames[i].angular_velocity = {};
    return;
  }
  frames[i].velocity = (b.world_from_camera.translation - a.world_from_camera.translation) / dt;
  frames[i].angular_velocity =
      RotationVector(Transposed(a.world_from_camera.rotation) * b.world_from_camera.rotation) / dt;
}

// A camera at `position` that looks along `yaw` (0 is +x, π/2 is +y), up by `pitch`, turned clockwise about
// the line of sight by `roll`; radians.
CALFVO_HD Pose LookPose(Vec3 position, float yaw, float pitch, float roll) {
  float sy = 0.0F, cy = 0.0F, sp = 0.0F, cp = 0.0F, sr = 0.0F, cr = 0.0F;
  SinCos(yaw, sy, cy);
  SinCos(pitch, sp, cp);
  SinCos(roll, sr, cr);
  const Vec3 forward{cy * cp, sy * cp, sp};
  const Vec3 right{sy, -cy, 0.0F};
  const Vec3 down = Cross(forward, right);
  return {{right * cr + down * sr, down * cr - right * sr, forward}, position};
}

}  // namespace synth
}  // namespace calfvo
