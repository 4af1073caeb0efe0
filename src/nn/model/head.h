// SPDX-License-Identifier: Apache-2.0
// From the raw outputs of a window to relative poses with confidences.
#pragma once

#include <span>

#include "core/geometry/pair_estimate.h"
#include "nn/architecture/model_config.h"

namespace calfvo {

// Values of one pair [m] → its estimate, as defined in docs/network.md. Throws Error if a value is not
// finite, the values do not give a rotation (a zero quaternion), or u is not within ±100, where variances
// would overflow.
PairEstimate InterpretPair(const HeadConfig& config, std::span<const float> values);

}  // namespace calfvo
