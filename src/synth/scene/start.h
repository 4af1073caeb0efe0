// SPDX-License-Identifier: Apache-2.0
// Where a camera may begin in a scene: free, at the height its carrier gives it, looking at something.
#pragma once

#include "core/portable/random.h"
#include "synth/scene/free_space.h"
#include "synth/scene/posed_frame.h"
#include "synth/scene/trace.h"

namespace calfvo {

// Who or what carries the camera, as far as the start is concerned.
enum class CameraCarrier : int {
  kHandheld,  // 1.2–1.7 m above the ground, or 0.5–1.9 m in front of a sight of the scene
  kHead,      // 1.6–1.8 m
  kVehicle,   // 1.2–2.2 m, mostly near 1.7 m, on a lane, heading along it; indoors a trolley in the aisle
  kDrone,     // 2–50 m outdoors, 15–120 m in aerial scenes, 0.5 m off floor and ceiling indoors
};

namespace synth {

struct Start {
  Vec3 position;
  float yaw = 0.0F;    // radians, see LookPose
  float pitch = 0.0F;  // radians, up is positive
  bool free = false;   // false: no free place was found and the position is the last one tried
};

CALFVO_HD float StartHeight(const Scene& scene, CameraCarrier carrier, portable::Random& random) {
  const bool aerial = scene.kind == SceneKind::kAerialCity || scene.kind == SceneKind::kAerialFields;
  if (aerial) return 15.0F + 105.0F * random.Uniform() * random.Uniform();
  const float top = scene.space_high[0].z - 0.5F;
  const float share = random.Uniform();
  switch (carrier) {
    case CameraCarrier::kHandheld:
      return 1.2F + 0.5F * share;
    case CameraCarrier::kHead:
      return 1.6F + 0.2F * share;
    case CameraCarrier::kVehicle:
      return 1.7F + 0.5F * (2.0F * share - 1.0F) * fabsf(2.0F * share - 1.0F);
    case CameraCarrier::kDrone:
      break;
  }
  if (scene.light.ceiling < 1e8F) return 0.5F + (Min(top, 8.0F) - 0.5F) * share;
  return 2.0F + 48.0F * share * share * share;
}

// In front of a thing that is worth a look, 0.3–2 m away, looking at it. Hands go lower for low things.
CALFVO_HD void FaceSight(const Sight& sight, CameraCarrier carrier, portable::Random& random, Start& start) {
  const float rank = random.Uniform();
  const float away = 0.3F + 1.7F * rank * rank;
  const float aside = random.Uniform(-0.7F, 0.7F);
  const float above = random.Uniform(0.0F, 0.75F);
  const float miss = random.Uniform(-0.3F, 0.3F);
  if (carrier == CameraCarrier::kHandheld) {
    start.position.z = Clamp(sight.point.z + above * (0.5F + 0.5F * away), 0.5F, 1.9F);
  }
  float sine = 0.0F;
  float cosine = 0.0F;
  SinCos(sight.yaw + aside, sine, cosine);
  start.position.x = sight.point.x - away * cosine;
  start.position.y = sight.point.y - away * sine;
  start.yaw = sight.yaw + aside + miss;
  start.pitch = -atan2f(start.position.z - sight.point.z, away) + 0.5F * miss;
}

// Tries up to 24 places; prefers those with something to see 0.6–60 m ahead, from 0.2 m at sights.
// `clearance` in metres.
CALFVO_HD Start SuggestStart(const Scene& scene, CameraCarrier carrier, float clearance,
                             portable::Random& random) {
  Start start;
  Start fallback;
  const bool aerial = scene.kind == SceneKind::kAerialCity || scene.kind == SceneKind::kAerialFields;
  const bool in_lane = carrier == CameraCarrier::kVehicle &&
                       (scene.kind == SceneKind::kStreet || scene.kind == SceneKind::kWarehouse);
  const bool on_foot = carrier == CameraCarrier::kHandheld || carrier == CameraCarrier::kHead;
  MoverTable movers;
  FillMovers(scene, 0.0F, 0.0F, movers);
  for (int attempt = 0; attempt < 24; ++attempt) {
    const int box = random.Index(2);
    const Vec3 low = scene.space_low[box];
    const Vec3 high = scene.space_high[box];
    const float x = random.Uniform();
    const float y = random.Uniform();
    const float turn = random.Uniform();
    const float pitch = random.Uniform(-1.0F, 1.0F);
    const float height = StartHeight(scene, carrier, random);
    start.position = {Mix(low.x, high.x, 0.05F + 0.9F * x), Mix(low.y, high.y, 0.05F + 0.9F * y), 0.0F};
    start.yaw = turn * 6.2831853F;
    // Indoors people look down a little, at what they do.
    start.pitch = 0.22F * pitch - (scene.light.ceiling < 1e8F ? 0.13F : 0.05F);
    if (scene.kind == SceneKind::kStreet) {
      start.position.x = Mix(low.x, high.x, 0.15F + 0.6F * x);
      // On foot people look along the street more often than at the walls.
      if (attempt < 12) start.yaw = (turn < 0.5F ? 0.0F : 3.1415927F) + 1.1F * pitch;
    }
    if (scene.kind == SceneKind::kCorridor || scene.kind == SceneKind::kWarehouse) {
      start.position.y = scene.passage_half * (2.0F * y - 1.0F) * 0.8F;
      if (attempt < 12) start.yaw = (turn < 0.5F ? 0.0F : 3.1415927F) + 0.9F * pitch;
    }
    if (in_lane) {
      const bool one_way = scene.kind == SceneKind::kStreet && scene.lane_y[0] == scene.lane_y[1];
      const bool back = turn < 0.3F && !one_way;
      start.position.y = scene.lane_y[back ? 1 : 0] + 0.3F * (y - 0.5F);
      start.yaw = (back ? 3.1415927F : 0.0F) + 0.04F * pitch;
      start.pitch = 0.05F * pitch - 0.01F;
    }
    if (carrier == CameraCarrier::kDrone && !aerial) start.pitch = -0.25F + 0.3F * pitch;
    if (aerial) {
      start.position.x *= 0.5F;
      start.position.y *= 0.5F;
      start.pitch = -0.85F + 0.65F * pitch;
    }
    start.position.z = height + TerrainHeight(scene.terrain, start.position.x, start.position.y);
    const bool at_sight = scene.sight_count > 0 && on_foot && attempt < 18 && random.Chance(0.75F);
    if (at_sight) FaceSight(scene.sights[random.Index(scene.sight_count)], carrier, random, start);
    start.free = IsFree(scene, start.position, clearance, 0.0F);
    if (!start.free) continue;
    fallback = start;
    if (aerial) return start;
    const Pose pose = LookPose(start.position, start.yaw, start.pitch, 0.0F);
    const Hit hit = Trace(scene, movers, 0.0F, {pose.translation, pose.rotation.z});
    const float nearest = at_sight ? 0.2F : attempt < 8 ? 1.5F : 0.6F;
    if (hit.t > nearest && (hit.t < 60.0F || in_lane)) return start;
  }
  return fallback.free ? fallback : start;
}

}  // namespace synth
}  // namespace calfvo
