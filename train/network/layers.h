// SPDX-License-Identifier: Apache-2.0
// The layers that encoders and decoders are made of. All of them compute in the element type of what they are
// given, f32 or bf16, and cast their weights, which are f32, on the way.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "network/camera_rule.h"

namespace calfvo::train {

// The result of a layer whose bias is still to be added. What comes next does that on the way, and gets the
// bias's gradient on the way back.
struct Branch {
  at::Tensor values;
  at::Tensor bias;  // [channels], over the last dimension; undefined: none

  at::Tensor Whole() const;  // values + bias
};

struct LinearLayer {
  at::Tensor weight, bias;

  at::Tensor operator()(const at::Tensor& x) const;  // [..., in] → [..., out]
  at::Tensor ThenGelu(const at::Tensor& x) const;
  Branch AsBranch(const at::Tensor& x) const;
};

// One layer for each of `outer` after its `inner`: a product of weights costs less than one more product of
// rows, where there are many more rows than columns. All have the same sizes, and are computed at once, since
// one of them would not fill a GPU.
std::vector<LinearLayer> Composed(const std::vector<LinearLayer>& outer,
                                  const std::vector<LinearLayer>& inner);

// x + branch.
at::Tensor Added(const at::Tensor& x, const Branch& branch);

struct SumAndNorm {
  at::Tensor sum, normed;
};

// One tensor for two uses: what made it takes the gradient of each, where else a pass of its own would add
// them.
struct TwoUses {
  at::Tensor first, second;
};

// Over the last dimension. Statistics are f32.
struct NormLayer {
  at::Tensor weight, bias;
  double eps = 0;

  at::Tensor operator()(const at::Tensor& x) const;
  at::Tensor ThenGelu(const Branch& x) const;
  TwoUses ThenGeluForTwo(const Branch& x) const;

  // Where a residual stream starts: x is the sum.
  SumAndNorm Start(const at::Tensor& x) const;
  // Adds a branch to the residual stream, and norms the sum for the next branch.
  SumAndNorm AfterAdding(const at::Tensor& x, const Branch& branch,
                         CameraRule camera = CameraRule::kNone) const;
};

// What a decoder adds to the tokens [B, K, N, d] of its windows.
struct EmbeddingLayer {
  at::Tensor position;  // [N, d]
  at::Tensor time;      // [K, d]
  at::Tensor camera;    // [d], a token of its own
  at::Tensor aspect;    // [d], times `log_aspect` [B] f32; undefined: that is not looked at

  at::Tensor operator()(const at::Tensor& tokens, const at::Tensor& log_aspect) const;
  // The same behind a camera token per frame: [B, K, 1 + N, d].
  at::Tensor WithCameras(const at::Tensor& tokens, const at::Tensor& log_aspect) const;
};

// Maps are [B, height, width, channels], contiguous.
struct ConvolutionLayer {
  at::Tensor weight, bias;

  Branch operator()(const at::Tensor& map, int stride, int padding) const;
};

// Rotary position embedding: element e of a head pairs with e + group, in runs of 2·group elements.
struct RopeTable {
  at::Tensor cos, sin;  // [tokens, head size / 2] f32; undefined: no rotation
  int64_t group = 0;
};

// Multi-head attention among the tokens of each sequence: [sequences, tokens, dim] → the same, projected.
struct AttentionLayer {
  LinearLayer qkv, proj;

  Branch operator()(const at::Tensor& normed, int64_t heads, const RopeTable& rope = {}) const;
};

struct FeedForwardLayer {
  LinearLayer fc1, fc2;

  Branch operator()(const at::Tensor& normed) const;
};

}  // namespace calfvo::train
