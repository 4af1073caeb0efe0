// SPDX-License-Identifier: Apache-2.0
// The scale of a trajectory from what its user knows: the camera's height above the ground, or how far apart
// two camera positions are.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "calfvo/camera.h"
#include "calfvo/geometry.h"
#include "calfvo/refine.h"

namespace calfvo {

// The camera's height above the ground, in the trajectory's metres.
struct GroundHeight {
  double height = 0.0;  // median over stretches of the video
  double sigma = 0.0;   // of that median
  int stretches = 0;    // that show the ground
};

// Fits a plane below the camera to the map points of each stretch of frames. A table is not taken for the
// ground if points below it are seen. Nothing where few stretches show a plane, or where their heights differ
// by more than a quarter. Deterministic.
std::optional<GroundHeight> FindGroundHeight(std::span<const Rigid3> world_from_camera,
                                             std::span<const MapPoint> points);

// What a trajectory and its map must be multiplied by.
struct KnownScale {
  double scale = 1.0;
  double sigma = 0.0;        // relative; 0: not known
  std::string warning = {};  // why the hint was not used; else empty
};

// By the camera height or distance of `options`, one of which must be set. `times_s` of the poses count from
// the first.
KnownScale FindKnownScale(const RefineOptions& options, std::span<const Rigid3> world_from_camera,
                          std::span<const double> times_s, std::span<const MapPoint> points);

}  // namespace calfvo
