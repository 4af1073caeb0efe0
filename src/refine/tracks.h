// SPDX-License-Identifier: Apache-2.0
// Values that flow through refinement: observations, tracks, keyframes.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "calfvo/geometry.h"

namespace calfvo {

// Images with a shorter side, in pixels, are too small to track in.
inline constexpr int kMinTrackedSide = 32;

// A tracked corner in one frame. Pixels of the tracked image; the top left corner is (0, 0).
struct Observation {
  int64_t track = 0;
  Eigen::Vector2f pixel = Eigen::Vector2f::Zero();
  uint8_t gray = 0;  // of the image there
};

// A frame of an adjustment. Motion within the frame models a rolling shutter.
struct Keyframe {
  int64_t frame = 0;
  bool fixed = false;  // the adjustment leaves its pose as it is
  Rigid3 world_from_camera = {};
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  // radians per frame interval, camera axes
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();          // metres per frame interval, camera axes
};

// A static point: its inverse depth in the keyframe that saw it first, and where others see it.
struct Track {
  struct View {
    int keyframe = 0;  // index into the adjustment's keyframes
    Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  };
  int64_t id = 0;
  std::vector<View> views = {};  // at least two; the first is the anchor
  double inverse_depth = 0.0;    // 1 / metres, along the anchor's optical axis
  double noise = 1.0;            // of its pixels, over that of tracked corners
};

}  // namespace calfvo
