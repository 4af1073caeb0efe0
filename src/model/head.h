// SPDX-License-Identifier: Apache-2.0
// From the raw outputs of a window to relative poses with confidences.
#pragma once

#include <span>

#include "geometry/pair_estimate.h"
#include "weights/model_config.h"

namespace calfvo {

// Values of one pair [m] → its estimate, as docs/network.md says. Throws Error when a value is not finite, no
// rotation can be made of them (a zero quaternion), or u is not within ±100: beyond, variances are no numbers
// any more.
PairEstimate InterpretPair(const HeadConfig& config, std::span<const float> values);

}  // namespace calfvo
