// SPDX-License-Identifier: Apache-2.0
// Converts images of bytes to the input of encoders.
#pragma once

#include <ATen/core/Tensor.h>

namespace calfvo::train {

// (value / 255 − mean) / std as value·scale + shift, per colour.
struct InputScale {
  at::Tensor scale, shift;  // [3] f32
};

// [B, K, S, S, 3] uint8 → [B·K, S, S, 3] of `dtype`.
at::Tensor NormalizedFrames(const at::Tensor& frames, const InputScale& input, at::ScalarType dtype);

// → [B·K, S, S, 6]: the previous frame's colours, then the frame's own. Frame 0's previous is `before`
// [B, S, S, 3], or itself where that is undefined.
at::Tensor NormalizedPairs(const at::Tensor& frames, const at::Tensor& before, const InputScale& input,
                           at::ScalarType dtype);

}  // namespace calfvo::train
