// SPDX-License-Identifier: Apache-2.0
// Attention over time: at each position, among the K frames of a window.
#pragma once

#include <ATen/core/Tensor.h>

namespace calfvo::train {

// qkv [B, K, T, 3, heads, D] → [B, K, T, heads·D]. On CUDA, for K ≤ 16 and D a multiple of 8 up to 64, one
// kernel each way reads and writes this layout; everything else takes ComposedTemporalAttention. Sums and
// softmax are f32.
at::Tensor TemporalAttention(const at::Tensor& qkv);

// The same out of LibTorch's operations.
at::Tensor ComposedTemporalAttention(const at::Tensor& qkv);

}  // namespace calfvo::train
