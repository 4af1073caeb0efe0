// SPDX-License-Identifier: Apache-2.0
#include "clip/camera_path.h"

#include <algorithm>
#include <cmath>

#include "motion/camera_motion.h"
#include "motion/free_space.h"
#include "synth/free_space.h"
#include "synth/start.h"

namespace calfvo {
namespace {

using motion::MotionKind;
using portable::Mat3;
using portable::Pose;
using portable::Vec3;

constexpr int kStarts = 12;
constexpr int kPlacements = 600;

CameraCarrier CarrierOf(MotionKind kind) {
  switch (kind) {
    case MotionKind::kHeadMounted:
      return CameraCarrier::kHead;
    case MotionKind::kVehicle:
      return CameraCarrier::kVehicle;
    case MotionKind::kDrone:
    case MotionKind::kFastDrone:
    case MotionKind::kFreeFlying:
      return CameraCarrier::kDrone;
    case MotionKind::kHandheld:
    case MotionKind::kWalking:
    case MotionKind::kStatic:
    case MotionKind::kPureRotation:
      break;
  }
  return CameraCarrier::kHandheld;
}

bool IsAerial(const synth::Scene& scene) {
  return scene.kind == SceneKind::kAerialCity || scene.kind == SceneKind::kAerialFields;
}

// How far cameras keep from surfaces, metres.
float Clearance(const synth::Scene& scene, MotionKind kind) {
  if (IsAerial(scene)) return 2.0F;
  return CarrierOf(kind) == CameraCarrier::kVehicle ? 0.7F : 0.3F;
}

// A start with the clearance that was found, which halves in narrow scenes.
struct FreeStart {
  synth::Start start;
  float clearance = 0.0F;
};

std::optional<FreeStart> FindStart(const synth::Scene& scene, MotionKind kind, portable::Random& random) {
  const float wanted = Clearance(scene, kind);
  for (const float clearance : {wanted, 0.5F * wanted}) {
    const synth::Start start = synth::SuggestStart(scene, CarrierOf(kind), clearance, random);
    if (start.free) return FreeStart{start, clearance};
  }
  return {};
}

CameraPath Follow(const synth::Scene& scene, const PathOptions& options, const FreeStart& found,
                  portable::Random random) {
  const auto rate_hz = static_cast<float>(options.rate.Hertz());
  motion::MotionStart start;
  start.kind = options.kind;
  start.frame_rate_hz = rate_hz;
  start.position = found.start.position;
  start.heading = {std::cos(found.start.yaw), std::sin(found.start.yaw), 0.0F};
  // From high up there is more to see below. Drones look down by 0.3 or so in any case.
  if (IsAerial(scene)) start.look_down_rad = std::clamp(-found.start.pitch - 0.3F, 0.0F, 0.7F);
  motion::CameraMotion camera(start, random);
  CameraPath path;
  path.reserve(static_cast<size_t>(options.frames));
  path.push_back(camera.world_from_camera());
  for (int i = 1; i < options.frames; ++i) {
    const float time_s = static_cast<float>(i) / rate_hz;
    camera.Step([&](Vec3 p) { return synth::IsFree(scene, p, found.clearance, time_s); });
    path.push_back(camera.world_from_camera());
  }
  return path;
}

// How bad a path is, 0 to 2: the share of frames in which something runs into the camera from behind, and of
// those in which a camera that should travel stands still.
float Badness(const synth::Scene& scene, const CameraPath& path, bool travels, float interval_s) {
  if (path.size() < 2) return 0.0F;
  int bad = 0;
  for (size_t i = 1; i < path.size(); ++i) {
    const Vec3 here = path[i].translation;
    bad += synth::IsFree(scene, here, 0.1F, interval_s * static_cast<float>(i)) ? 0 : 1;
    bad += travels && portable::Norm(here - path[i - 1].translation) < 1e-4F ? 1 : 0;
  }
  return static_cast<float>(bad) / static_cast<float>(path.size() - 1);
}

// The rotation that brings `down_in_camera` to the world's −z and the line of sight over `yaw`.
Mat3 UprightRotation(Vec3 down_in_camera, float yaw) {
  const Vec3 level = Vec3{0.0F, 0.0F, 1.0F} - down_in_camera * down_in_camera.z;
  // Straight up or down, the top of the picture stands for ahead.
  const Vec3 ahead = portable::Norm(level) > 0.1F
                         ? portable::Normalized(level)
                         : portable::Normalized(Vec3{0.0F, -1.0F, 0.0F} + down_in_camera * down_in_camera.y);
  const Mat3 camera_from_level{portable::Cross(down_in_camera, ahead), down_in_camera, ahead};
  const Vec3 down{0.0F, 0.0F, -1.0F};
  const Vec3 heading{std::cos(yaw), std::sin(yaw), 0.0F};
  const Mat3 world_from_level{portable::Cross(down, heading), down, heading};
  return world_from_level * Transposed(camera_from_level);
}

bool StaysFree(const synth::Scene& scene, const CameraPath& path, float clearance, float interval_s) {
  for (size_t i = 0; i < path.size(); ++i) {
    const auto is_free = [&](Vec3 p) {
      return synth::IsFree(scene, p, clearance, interval_s * static_cast<float>(i));
    };
    const Vec3 from = path[i > 0 ? i - 1 : 0].translation;
    if (!motion::WayIsFree(is_free, from, path[i].translation - from, 0.1F)) return false;
  }
  return true;
}

}  // namespace

std::optional<CameraPath> GeneratePath(const synth::Scene& scene, const PathOptions& options,
                                       portable::Random random) {
  const bool travels = options.kind != MotionKind::kStatic && options.kind != MotionKind::kPureRotation;
  const auto interval_s = static_cast<float>(1.0 / options.rate.Hertz());
  std::optional<CameraPath> best;
  float least = 3.0F;
  for (int attempt = 0; attempt < kStarts && least > 0.0F; ++attempt) {
    portable::Random draw = random.Fork(static_cast<uint64_t>(attempt));
    const auto start = FindStart(scene, options.kind, draw);
    if (!start) continue;
    CameraPath path = Follow(scene, options, *start, draw.Fork(1));
    const float badness = Badness(scene, path, travels, interval_s);
    if (badness < least) {
      least = badness;
      best = std::move(path);
    }
  }
  return best;
}

std::optional<CameraPath> PlaceRecordedPath(const synth::Scene& scene, const PathOptions& options,
                                            const motion::RealPathsView& recorded,
                                            const motion::RealSegmentOptions& segments,
                                            portable::Random random) {
  const auto interval_s = static_cast<float>(1.0 / options.rate.Hertz());
  CameraPath first_from_camera(static_cast<size_t>(options.frames));
  for (int attempt = 0; attempt < kPlacements; ++attempt) {
    portable::Random draw = random.Fork(static_cast<uint64_t>(attempt));
    const auto found = FindStart(scene, options.kind, draw);
    if (!found) continue;
    const motion::RealSegment segment =
        motion::SampleRealSegment(recorded, segments, draw, options.frames, first_from_camera.data());
    const Pose world_from_first{UprightRotation(segment.down_in_camera, found->start.yaw),
                                found->start.position};
    CameraPath path;
    path.reserve(first_from_camera.size());
    for (const Pose& pose : first_from_camera) path.push_back(world_from_first * pose);
    if (StaysFree(scene, path, found->clearance, interval_s)) return path;
  }
  return {};
}

double PathLength(const CameraPath& path) {
  double length = 0.0;
  for (size_t i = 1; i < path.size(); ++i) {
    length += static_cast<double>(portable::Norm(path[i].translation - path[i - 1].translation));
  }
  return length;
}

}  // namespace calfvo
