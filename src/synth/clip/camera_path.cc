// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/camera_path.h"

#include "synth/clip/window_path.h"

namespace calfvo {
namespace {

using portable::Pose;
using portable::Vec3;

constexpr int kStarts = 12;
constexpr int kPlacements = 600;

CameraPath Follow(const synth::Scene& scene, const PathOptions& options, const FreeStart& found,
                  portable::Random random) {
  const auto rate_hz = static_cast<float>(options.rate.Hertz());
  motion::CameraMotion camera(MotionStartAt(scene, options.kind, rate_hz, found.start), random);
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

auto PositionsOf(const CameraPath& path) {
  return [&path](int i) { return path[static_cast<size_t>(i)].translation; };
}

}  // namespace

std::optional<CameraPath> GeneratePath(const synth::Scene& scene, const PathOptions& options,
                                       portable::Random random) {
  const auto interval_s = static_cast<float>(1.0 / options.rate.Hertz());
  std::optional<CameraPath> best;
  float least = kWorseThanAnyPath;
  for (int attempt = 0; attempt < kStarts && least > 0.0F; ++attempt) {
    portable::Random draw = random.Fork(static_cast<uint64_t>(attempt));
    const FreeStart found = FindFreeStart(scene, options.kind, draw);
    if (!found.start.free) continue;
    CameraPath path = Follow(scene, options, found, draw.Fork(1));
    const float badness = PathBadness(scene, options.frames, PositionsOf(path), options.kind, interval_s);
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
    const FreeStart found = FindFreeStart(scene, options.kind, draw);
    if (!found.start.free) continue;
    const motion::RealSegment segment =
        motion::SampleRealSegment(recorded, segments, draw, options.frames, first_from_camera.data());
    const Pose world_from_first{UprightRotation(segment.down_in_camera, found.start.yaw),
                                found.start.position};
    CameraPath path;
    path.reserve(first_from_camera.size());
    for (const Pose& pose : first_from_camera) path.push_back(world_from_first * pose);
    if (PathIsFree(scene, options.frames, PositionsOf(path), found.clearance, interval_s)) return path;
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
