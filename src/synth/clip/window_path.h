// SPDX-License-Identifier: Apache-2.0
// How motion and scene come together, for host and GPU: where a camera of some kind begins, how far it keeps
// from things, and how good a path is.
#pragma once

#include "core/portable/random.h"
#include "core/portable/vec3.h"
#include "synth/motion/camera_motion.h"
#include "synth/motion/motion_kind.h"
#include "synth/scene/free_space.h"
#include "synth/scene/start.h"

namespace calfvo {

CALFVO_HD CameraCarrier CarrierOf(motion::MotionKind kind) {
  switch (kind) {
    case motion::MotionKind::kHeadMounted:
      return CameraCarrier::kHead;
    case motion::MotionKind::kVehicle:
      return CameraCarrier::kVehicle;
    case motion::MotionKind::kDrone:
    case motion::MotionKind::kFastDrone:
    case motion::MotionKind::kFreeFlying:
      return CameraCarrier::kDrone;
    case motion::MotionKind::kHandheld:
    case motion::MotionKind::kWalking:
    case motion::MotionKind::kStatic:
    case motion::MotionKind::kPureRotation:
      break;
  }
  return CameraCarrier::kHandheld;
}

// Frames per second of a window, evenly on a logarithmic scale, so that the scene does not reveal how far
// the camera moves. In a third of the drives it is 10, as in recordings from cars,
// and in a third of what is held in the hand 30, as of phones, where the limits allow it.
CALFVO_HD float DrawRate(motion::MotionKind kind, float low_hz, float high_hz, portable::Random& random) {
  const float share = random.Uniform();
  const bool usual = random.Chance(1.0F / 3.0F);
  const bool drives = kind == motion::MotionKind::kVehicle;
  if (usual && drives) return fminf(fmaxf(10.0F, low_hz), high_hz);
  if (usual && CarrierOf(kind) == CameraCarrier::kHandheld) return fminf(fmaxf(30.0F, low_hz), high_hz);
  // At more than 30 frames/s a car hardly moves.
  const float highest_hz = drives ? fmaxf(fminf(high_hz, 30.0F), low_hz) : high_hz;
  return low_hz * powf(highest_hz / low_hz, share);
}

CALFVO_HD bool IsAerial(const synth::Scene& scene) {
  return scene.kind == SceneKind::kAerialCity || scene.kind == SceneKind::kAerialFields;
}

// A start with the clearance that was found, metres; `start.free` is whether there is one.
struct FreeStart {
  synth::Start start;
  float clearance = 0.0F;
};

// Cameras keep 0.3 m from surfaces, those held in the hand 0.2 m, vehicles 0.7 m, those high up 2 m; half of
// that in narrow scenes.
CALFVO_HD FreeStart FindFreeStart(const synth::Scene& scene, motion::MotionKind kind,
                                  portable::Random& random) {
  const CameraCarrier carrier = CarrierOf(kind);
  float clearance = carrier == CameraCarrier::kVehicle    ? 0.7F
                    : carrier == CameraCarrier::kHandheld ? 0.2F
                                                          : 0.3F;
  if (IsAerial(scene)) clearance = 2.0F;
  FreeStart found;
  for (int attempt = 0; attempt < 2 && !found.start.free; ++attempt) {
    found.clearance = attempt == 0 ? clearance : 0.5F * clearance;
    found.start = synth::SuggestStart(scene, carrier, found.clearance, random);
  }
  return found;
}

CALFVO_HD motion::MotionStart MotionStartAt(const synth::Scene& scene, motion::MotionKind kind, float rate_hz,
                                            const synth::Start& at) {
  motion::MotionStart start;
  start.kind = kind;
  start.frame_rate_hz = rate_hz;
  start.position = at.position;
  start.heading = {cosf(at.yaw), sinf(at.yaw), 0.0F};
  // From high up there is more to see below. Drones look down by 0.3 or so in any case.
  if (IsAerial(scene)) start.look_down_rad = fminf(fmaxf(-at.pitch - 0.3F, 0.0F), 0.7F);
  // Those on foot look at what they started in front of, and by 0.13 or so down in any case.
  const CameraCarrier carrier = CarrierOf(kind);
  if (scene.sight_count > 0 && (carrier == CameraCarrier::kHandheld || carrier == CameraCarrier::kHead)) {
    start.look_down_rad = fminf(fmaxf(-at.pitch - 0.13F, -0.2F), 0.7F);
  }
  return start;
}

// Above that of any path.
inline constexpr float kWorseThanAnyPath = 4.5F;

// How bad a path is, 0 to 4: the share of frames in which something runs into the camera from behind, of
// those in which a camera that should travel stands still, and of those in which a car has left the road or
// brakes harder than cars can.
// position_at(i) is where it is in frame i.
template <typename PositionAt>
CALFVO_HD float PathBadness(const synth::Scene& scene, int count, const PositionAt& position_at,
                            motion::MotionKind kind, float interval_s) {
  const bool travels = kind != motion::MotionKind::kStatic && kind != motion::MotionKind::kPureRotation;
  const bool drives = kind == motion::MotionKind::kVehicle;
  const float hardest_braking_m = 10.0F * interval_s * interval_s;
  float before_m = 0.0F;
  int bad = 0;
  for (int i = 1; i < count; ++i) {
    const portable::Vec3 here = position_at(i);
    bad += synth::IsFree(scene, here, 0.1F, interval_s * static_cast<float>(i)) ? 0 : 1;
    const float step_m = portable::Norm(here - position_at(i - 1));
    bad += travels && step_m < 1e-4F ? 1 : 0;
    bad += drives && scene.kind == SceneKind::kStreet && fabsf(here.y) > scene.passage_half ? 1 : 0;
    bad += drives && before_m - step_m > hardest_braking_m ? 1 : 0;
    before_m = step_m;
  }
  return count > 1 ? static_cast<float>(bad) / static_cast<float>(count - 1) : 0.0F;
}

// The rotation that brings `down_in_camera` to the world's −z and the line of sight over `yaw`.
CALFVO_HD portable::Mat3 UprightRotation(portable::Vec3 down_in_camera, float yaw) {
  using portable::Vec3;
  const Vec3 level = Vec3{0.0F, 0.0F, 1.0F} - down_in_camera * down_in_camera.z;
  // Straight up or down, the top of the image stands for ahead.
  const Vec3 ahead = portable::Norm(level) > 0.1F
                         ? portable::Normalized(level)
                         : portable::Normalized(Vec3{0.0F, -1.0F, 0.0F} + down_in_camera * down_in_camera.y);
  const portable::Mat3 camera_from_level{portable::Cross(down_in_camera, ahead), down_in_camera, ahead};
  const Vec3 down{0.0F, 0.0F, -1.0F};
  const Vec3 heading{cosf(yaw), sinf(yaw), 0.0F};
  const portable::Mat3 world_from_level{portable::Cross(down, heading), down, heading};
  return world_from_level * Transposed(camera_from_level);
}

// Whether the way between consecutive positions is free at its time.
template <typename PositionAt>
CALFVO_HD bool PathIsFree(const synth::Scene& scene, int count, const PositionAt& position_at,
                          float clearance, float interval_s) {
  for (int i = 0; i < count; ++i) {
    const float time_s = interval_s * static_cast<float>(i);
    const auto is_free = [&](portable::Vec3 p) { return synth::IsFree(scene, p, clearance, time_s); };
    const portable::Vec3 from = position_at(i > 0 ? i - 1 : 0);
    if (!motion::WayIsFree(is_free, from, position_at(i) - from, 0.1F)) return false;
  }
  return true;
}

}  // namespace calfvo
