// SPDX-License-Identifier: Apache-2.0
// The images of an evaluation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "calfvo/evaluation.h"
#include "eval/plot/figure.h"

namespace calfvo {

// Standard deviations per axis of an edge from one pose to the next.
struct EdgeSigma {
  double translation_m = 0.0;
  double rotation_deg = 0.0;
};

// What the images show. Everything is borrowed, and `evaluation` is that of these two trajectories.
struct EvaluatedPair {
  std::string_view name;  // of the sequence, for titles
  const Trajectory& reference;
  const Trajectory& estimate;
  const Evaluation& evaluation;
  std::span<const EdgeSigma> sigmas = {};  // of the edge to each pose of the estimate; empty if not known
  std::span<const int64_t> frames = {};    // of the input, of each pose of the estimate; empty if not known
};

// The plane that a path is seen in from above. kAuto drops the axis along which the reference moves least: y
// for a driving camera in its own axes (x right, y down, z forward), z where the world's z points up.
enum class ViewPlane { kAuto, kXy, kXz, kYz };
ViewPlane ViewPlaneFromName(std::string_view name);

// The path: reference dashed, aligned estimate coloured by its relative translation error.
Figure PathFigure(const EvaluatedPair& pair, ViewPlane plane = ViewPlane::kAuto);

// x, y and z over time, and roll, pitch and yaw over time (rotation = Rz(yaw)·Ry(pitch)·Rx(roll), unwrapped).
Figure PositionFigure(const EvaluatedPair& pair);
Figure OrientationFigure(const EvaluatedPair& pair);

// Absolute and relative errors over time; where σ is known, with the bound
// for 95 % of the relative errors.
Figure ErrorFigure(const EvaluatedPair& pair);

}  // namespace calfvo
