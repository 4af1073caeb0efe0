// SPDX-License-Identifier: Apache-2.0
// Differentiable operations on the kernels of cuda_kernels.h. Each gives nothing without a kernel for
// the case: off CUDA, for other element types than f32 and bf16, for sizes that the kernels do not take, and
// in builds without CALFVO_CUDA. The caller then composes the same from LibTorch's operations.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "network/image_input.h"
#include "network/layers.h"

namespace calfvo::train {

// As TemporalAttention.
std::optional<at::Tensor> FusedTemporalAttention(const at::Tensor& qkv);

// As LinearLayer's. The gradients of biases are column sums by a kernel of ours, in the same pass as GELU's.
std::optional<at::Tensor> FusedLinear(const at::Tensor& x, const LinearLayer& layer);
std::optional<at::Tensor> FusedLinearGelu(const at::Tensor& x, const LinearLayer& layer);

// As FeedForwardLayer's, without the last bias. bf16 only.
std::optional<at::Tensor> FusedFeedForward(const at::Tensor& x, const FeedForwardLayer& layer);

// As Added.
std::optional<at::Tensor> FusedAdd(const at::Tensor& x, const Branch& branch);

// As NormLayer's.
std::optional<SumAndNorm> FusedNorm(const at::Tensor& x, const NormLayer& norm);
std::optional<TwoUses> FusedNormGelu(const Branch& x, const NormLayer& norm);
std::optional<SumAndNorm> FusedAddNorm(const at::Tensor& x, const Branch& branch, const NormLayer& norm,
                                       CameraRule camera);

// As EmbeddingLayer::WithCameras. Backward, one pass takes the tokens' gradient out and sums those of
// parameters.
std::optional<at::Tensor> FusedEmbedding(const at::Tensor& tokens, const at::Tensor& log_aspect,
                                         const EmbeddingLayer& embedding);

// Attention of x [S, T, dim] before its projection, likewise. bf16 only.
std::optional<at::Tensor> FusedAttention(const at::Tensor& x, const LinearLayer& qkv, int64_t heads,
                                         const RopeTable& rope);

// x [S, T, dim] → q and k, turned, and v, all [S, T, heads, D]. Backward, they are joined, turned back and
// summed for the bias in one pass.
struct QueryKeyValue {
  at::Tensor q, k, v;
};
std::optional<QueryKeyValue> FusedQueryKeyValue(const at::Tensor& x, const LinearLayer& qkv, int64_t heads,
                                                const RopeTable& rope);

// norm.ThenGelu of the convolution, in steps of two with a border of one, of NormalizedPairs. bf16 only.
std::optional<at::Tensor> FusedFirstStage(const at::Tensor& frames, const at::Tensor& before,
                                          const InputScale& input, const ConvolutionLayer& convolution,
                                          const NormLayer& norm, at::ScalarType dtype);

}  // namespace calfvo::train
