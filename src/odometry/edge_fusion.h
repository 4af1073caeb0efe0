// SPDX-License-Identifier: Apache-2.0
// Several opinions about one edge of the trajectory to one: equations (8) to (10) of the paper.
#pragma once

#include <span>

#include "geometry/pair_estimate.h"

namespace calfvo {

// The motion from one frame to the next. The errors of rotation and translation are taken as independent and
// alike along all axes.
struct FusedEdge {
  Rigid3 first_from_second;
  double sigma_rotation_rad = 0.0;   // standard deviation about each axis
  double sigma_translation_m = 0.0;  // along each axis
  int estimates = 0;
};

// Weights are the precisions exp(−u), normalised; rotations fuse by the chordal mean, translations linearly.
//
// An estimate's standard deviation per axis follows from its expected error e^u as for normal errors: the
// mean length of a turn is √(8/π)·σ, the mean L1 norm of a translation 3·√(2/π)·σ. The fused variance is Σ
// w²σ², that of independent estimates. Windows share frames, so real ones are not quite; a model's
// log_variance_shift is measured on fused edges and makes up for it.
//
// `estimates` holds at least one. The order of estimates does not matter but for rounding.
FusedEdge FuseEdge(std::span<const PairEstimate> estimates);

}  // namespace calfvo
