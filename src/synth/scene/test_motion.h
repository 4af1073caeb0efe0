// SPDX-License-Identifier: Apache-2.0
// A plain, smooth path through a scene, for the tests of this folder: a start, a steady velocity and turning
// rate, a little sway. It stops before things that stand in the way. Real motion is put into scenes by clip/.
#pragma once

#include "synth/scene/start.h"

namespace calfvo::synth {

CALFVO_HD CameraCarrier DrawCarrier(SceneKind kind, portable::Random& random) {
  const float draw = random.Uniform();
  if (kind == SceneKind::kStreet) {
    return draw < 0.6F   ? CameraCarrier::kVehicle
           : draw < 0.9F ? CameraCarrier::kHandheld
                         : CameraCarrier::kDrone;
  }
  if (kind == SceneKind::kAerialCity || kind == SceneKind::kAerialFields) return CameraCarrier::kDrone;
  return draw < 0.5F ? CameraCarrier::kHandheld : draw < 0.8F ? CameraCarrier::kHead : CameraCarrier::kDrone;
}

// Fills `count` frames, `interval_s` apart, with poses and velocities.
CALFVO_HD void TestMotion(const Scene& scene, PosedFrame* frames, int count, float interval_s,
                          portable::Random random) {
  const CameraCarrier carrier = DrawCarrier(scene.kind, random);
  const bool vehicle = carrier == CameraCarrier::kVehicle;
  const bool drone = carrier == CameraCarrier::kDrone;
  const float clearance = 0.2F;
  const Start start = SuggestStart(scene, carrier, clearance, random);
  const float speed = vehicle ? random.Uniform(2.0F, 14.0F)
                      : drone ? random.Uniform(0.3F, 5.0F)
                              : random.Uniform(0.0F, 1.3F);
  const float drift = vehicle ? 0.0F : random.Uniform(-1.0F, 1.0F);  // direction of travel against the view
  const float yaw_rate = vehicle ? random.Uniform(-0.1F, 0.1F) : random.Uniform(-0.5F, 0.5F);
  const float pitch_rate = vehicle ? 0.0F : random.Uniform(-0.15F, 0.15F);
  const float roll = vehicle ? 0.0F : random.Uniform(-0.1F, 0.1F);
  const float sway = vehicle ? 0.003F : random.Uniform(0.0F, 0.02F);
  const float phase = random.Uniform(0.0F, 6.28F);
  Vec3 position = start.position;
  for (int i = 0; i < count; ++i) {
    const float time_s = interval_s * static_cast<float>(i);
    const float yaw = start.yaw + yaw_rate * time_s;
    const float pitch = start.pitch + pitch_rate * time_s;
    float sine = 0.0F;
    float cosine = 0.0F;
    SinCos(7.0F * time_s + phase, sine, cosine);
    const Vec3 here = position + Vec3{0.5F * sway * cosine, 0.5F * sway * sine, sway * sine};
    frames[i].world_from_camera = LookPose(here, yaw, pitch, roll + 0.3F * sway * cosine);
    frames[i].time_s = time_s;
    SinCos(yaw + drift, sine, cosine);
    const Vec3 ahead = position + Vec3{cosine, sine, 0.0F} * (speed * interval_s);
    if (IsFree(scene, ahead, clearance, time_s + interval_s)) position = ahead;
  }
  for (int i = 0; i < count; ++i) SetVelocities(frames, count, i);
}

}  // namespace calfvo::synth
