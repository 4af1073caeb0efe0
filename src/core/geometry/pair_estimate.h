// SPDX-License-Identifier: Apache-2.0
// One estimate of the motion between two consecutive frames.
#pragma once

#include "calfvo/geometry.h"

namespace calfvo {

// The paper calls u "log-variance" and weighs by exp(−u). Minimising L·exp(−u) + u (its equation 7) makes e^u
// the expected error: radians of turn for u_rotation, metres in the L1 norm for u_translation.
struct PairEstimate {
  Rigid3 first_from_second;  // camera i from camera i + 1, metres
  double u_rotation = 0.0;
  double u_translation = 0.0;
};

}  // namespace calfvo
