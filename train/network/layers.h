// SPDX-License-Identifier: Apache-2.0
// The layers that encoders and decoders are made of. All of them compute in the element type of what they are
// given, f32 or bf16, and cast their weights, which are f32, on the way.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace calfvo::train {

struct LinearLayer {
  at::Tensor weight, bias;

  at::Tensor operator()(const at::Tensor& x) const;  // [..., in] → [..., out]
};

// Over the last dimension. Statistics are f32.
struct NormLayer {
  at::Tensor weight, bias;
  double eps = 0;

  at::Tensor operator()(const at::Tensor& x) const;
  at::Tensor ThenGelu(const at::Tensor& x) const;
};

// Maps are [B, height, width, channels], contiguous.
struct ConvolutionLayer {
  at::Tensor weight, bias;

  at::Tensor operator()(const at::Tensor& map, int stride, int padding) const;
};

// Rotary position embedding: element e of a head pairs with e + group, in runs of 2·group elements.
struct RopeTable {
  at::Tensor cos, sin;  // [tokens, head size / 2] f32; undefined: no rotation
  int64_t group = 0;
};

// Multi-head attention among the tokens of each sequence: x [sequences, tokens, dim] → the same, projected.
struct AttentionLayer {
  NormLayer norm;
  LinearLayer qkv, proj;

  at::Tensor operator()(const at::Tensor& x, int64_t heads, const RopeTable& rope = {}) const;
};

struct FeedForwardLayer {
  NormLayer norm;
  LinearLayer fc1, fc2;

  at::Tensor operator()(const at::Tensor& x) const;
};

}  // namespace calfvo::train
