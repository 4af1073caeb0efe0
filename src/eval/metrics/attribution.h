// SPDX-License-Identifier: Apache-2.0
// Which part of an estimate causes its global error (section S7 of the paper).
#pragma once

#include <span>
#include <string>

#include "calfvo/evaluation.h"

namespace calfvo {

// ATE as is (root mean square, metres) that the estimate would have if one part of its relative poses were
// the truth's. Each relative pose is a rotation and a translation in the first camera's axes; a translation
// is a length along a direction.
struct Attribution {
  double nothing_m = 0.0;      // the estimate itself: Evaluation::ate_as_is.rmse
  double scale = 1.0;          // the one factor on all translations with which the ATE is least
  double scale_m = 0.0;        // with that factor
  double length_m = 0.0;       // with every length the true one
  double direction_m = 0.0;    // with every direction the true one
  double translation_m = 0.0;  // with both: what rotations alone cause
  double rotation_m = 0.0;     // with every rotation the true one: what translations alone cause
};

// `pairs` are Evaluation::pairs, at least one. Relative poses connect consecutive pairs. Where a translation
// is zero, its direction is left as it is.
Attribution Attribute(const Trajectory& reference, const Trajectory& estimate,
                      std::span<const PosePair> pairs);

// The part that limits the estimate most: "scale", "length", "direction" or "rotation". "Scale" where one
// factor does as much as all lengths; "nothing" where no part lowers the ATE.
std::string LimitingPart(const Attribution& attribution);

// A table and the limiting part in words.
std::string AttributionText(const Attribution& attribution);

}  // namespace calfvo
