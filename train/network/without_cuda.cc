// SPDX-License-Identifier: Apache-2.0
#include "network/fused.h"

namespace calfvo::train {

std::optional<at::Tensor> FusedTemporalAttention(const at::Tensor&) {
  return std::nullopt;
}

std::optional<at::Tensor> FusedLinear(const at::Tensor&, const LinearLayer&) {
  return std::nullopt;
}

std::optional<at::Tensor> FusedLinearGelu(const at::Tensor&, const LinearLayer&) {
  return std::nullopt;
}

std::optional<at::Tensor> FusedAdd(const at::Tensor&, const Branch&) {
  return std::nullopt;
}

std::optional<SumAndNorm> FusedNorm(const at::Tensor&, const NormLayer&) {
  return std::nullopt;
}

std::optional<TwoUses> FusedNormGelu(const Branch&, const NormLayer&) {
  return std::nullopt;
}

std::optional<SumAndNorm> FusedAddNorm(const at::Tensor&, const Branch&, const NormLayer&, CameraRule) {
  return std::nullopt;
}

std::optional<at::Tensor> FusedEmbedding(const at::Tensor&, const at::Tensor&, const EmbeddingLayer&) {
  return std::nullopt;
}

std::optional<at::Tensor> FusedFeedForward(const at::Tensor&, const FeedForwardLayer&) {
  return std::nullopt;
}

std::optional<at::Tensor> FusedAttention(const at::Tensor&, const LinearLayer&, int64_t, const RopeTable&) {
  return std::nullopt;
}

std::optional<QueryKeyValue> FusedQueryKeyValue(const at::Tensor&, const LinearLayer&, int64_t,
                                                const RopeTable&) {
  return std::nullopt;
}

std::optional<at::Tensor> FusedFirstStage(const at::Tensor&, const at::Tensor&, const InputScale&,
                                          const ConvolutionLayer&, const NormLayer&, at::ScalarType) {
  return std::nullopt;
}

}  // namespace calfvo::train
