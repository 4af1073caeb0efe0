// SPDX-License-Identifier: Apache-2.0
// Where the camera of a clip goes: generated motion, or a piece of a recorded path, through the free space of
// a scene.
#pragma once

#include <optional>
#include <vector>

#include "core/portable/random.h"
#include "core/portable/vec3.h"
#include "io/video/frame_rate.h"
#include "synth/motion/motion_kind.h"
#include "synth/motion/real_segment.h"
#include "synth/scene/scene.h"

namespace calfvo {

struct PathOptions {
  motion::MotionKind kind = motion::MotionKind::kHandheld;
  FrameRate rate;
  int frames = 1;
};

// world_from_camera of every frame.
using CameraPath = std::vector<portable::Pose>;

// Motion of the given kind from a free place of the scene, at the height such cameras have. Of several starts
// it takes the one from which the camera can go on best and nothing runs into it. Nothing when the scene has
// no free place.
std::optional<CameraPath> GeneratePath(const synth::Scene& scene, const PathOptions& options,
                                       portable::Random random);

// A piece of a recorded path, upright and placed where it meets nothing. Only the place and the height of the
// start depend on the kind. Nothing when no piece that was tried fits into the scene.
std::optional<CameraPath> PlaceRecordedPath(const synth::Scene& scene, const PathOptions& options,
                                            const motion::RealPathsView& recorded,
                                            const motion::RealSegmentOptions& segments,
                                            portable::Random random);

// The sum of the distances between neighbouring positions, metres.
double PathLength(const CameraPath& path);

}  // namespace calfvo
