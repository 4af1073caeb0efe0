// SPDX-License-Identifier: Apache-2.0
// Fuses the estimates of one edge by overlapping windows: equations (8) to (10) of the paper.
#pragma once

#include <span>

#include "core/geometry/pair_estimate.h"

namespace calfvo {

// The relative pose of consecutive frames. Errors of rotation and translation are modelled as independent and
// isotropic.
struct FusedEdge {
  Rigid3 first_from_second;
  double sigma_rotation_rad = 0.0;   // standard deviation about each axis
  double sigma_translation_m = 0.0;  // along each axis
  int windows = 0;                   // fused
};

// Weights are the normalised precisions exp(−u). Rotations fuse by the chordal mean, translations linearly.
//
// The expected error e^u determines σ per axis as for normal errors: the mean rotation angle is √(8/π)·σ, the
// mean L1 norm of a translation 3·√(2/π)·σ. The fused variance is Σ w²σ², as for independent estimates.
// Overlapping windows share frames and are correlated; a model's log_variance_shift, measured on fused edges,
// corrects for that.
//
// `estimates` is not empty. The order of estimates changes the result by rounding only.
FusedEdge FuseEdge(std::span<const PairEstimate> estimates);

}  // namespace calfvo
