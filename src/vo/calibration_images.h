// SPDX-License-Identifier: Apache-2.0
// Synthetic images on which a backend measures the range of its 8-bit operands.
#pragma once

#include <vector>

#include "nn/architecture/model_config.h"

namespace calfvo {

// `count` images [3, size, size], normalised as in `input`: a moving view over noise of all scales with hard
// edges. Deterministic.
std::vector<float> CalibrationImages(const InputConfig& input, int count);

}  // namespace calfvo
