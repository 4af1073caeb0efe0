// SPDX-License-Identifier: Apache-2.0
// Pictures that stand for those of a video when a backend looks for the size of its operands.
#pragma once

#include <vector>

#include "weights/model_config.h"

namespace calfvo {

// `count` pictures [3, size, size], normalised as `input` says: clouds of all sizes with hard edges, the view
// moving over them. The same every time.
std::vector<float> CalibrationPictures(const InputConfig& input, int count);

}  // namespace calfvo
