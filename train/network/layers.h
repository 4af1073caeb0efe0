// SPDX-License-Identifier: Apache-2.0
// The layers that encoders and decoders are made of. All of them compute in the element type of what they are
// given, f32 or bf16, and cast their weights, which are f32, on the way.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "network/camera_rule.h"

namespace calfvo::train {

struct LinearLayer {
  at::Tensor weight, bias;

  at::Tensor operator()(const at::Tensor& x) const;  // [..., in] → [..., out]
};

struct SumAndNorm {
  at::Tensor sum, normed;
};

// Over the last dimension. Statistics are f32.
struct NormLayer {
  at::Tensor weight, bias;
  double eps = 0;

  at::Tensor operator()(const at::Tensor& x) const;
  at::Tensor ThenGelu(const at::Tensor& x) const;

  // Adds a branch to the residual stream, and norms the sum for the next branch.
  SumAndNorm AfterAdding(const at::Tensor& x, const at::Tensor& branch,
                         CameraRule camera = CameraRule::kNone) const;
};

// Maps are [B, height, width, channels], contiguous. Channels beyond the weight's are ignored.
struct ConvolutionLayer {
  at::Tensor weight, bias;

  at::Tensor operator()(const at::Tensor& map, int stride, int padding) const;
};

// Rotary position embedding: element e of a head pairs with e + group, in runs of 2·group elements.
struct RopeTable {
  at::Tensor cos, sin;  // [tokens, head size / 2] f32; undefined: no rotation
  int64_t group = 0;
};

// Multi-head attention among the tokens of each sequence: [sequences, tokens, dim] → the same, projected.
struct AttentionLayer {
  LinearLayer qkv, proj;

  at::Tensor operator()(const at::Tensor& normed, int64_t heads, const RopeTable& rope = {}) const;
};

struct FeedForwardLayer {
  LinearLayer fc1, fc2;

  at::Tensor operator()(const at::Tensor& normed) const;
};

}  // namespace calfvo::train
