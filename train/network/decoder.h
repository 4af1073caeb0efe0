// SPDX-License-Identifier: Apache-2.0
// Tokens of K frames to descriptors: both decoders of docs/network.md.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "network/layers.h"
#include "network/weight_table.h"
#include "nn/architecture/model_config.h"

namespace calfvo::train {

class Decoder {
 public:
  struct Output {
    at::Tensor descriptors;  // [B, (1 + K)·d] f32: the camera token, then each frame's mean
    at::Tensor tokens;       // [B, K, N, d]: the last layer's
  };

  Decoder(const ModelConfig& config, const WeightTable& weights);

  // `tokens` [B, K, N, d], `log_aspect` [B] f32, used only with input.aspect.
  Output operator()(const at::Tensor& tokens, const at::Tensor& log_aspect) const;

 private:
  struct Layer {
    NormLayer time_norm;  // time_space only, like the next two
    AttentionLayer time;
    LinearLayer time_out;
    NormLayer space_norm;
    AttentionLayer space;
    NormLayer feed_forward_norm;
    FeedForwardLayer feed_forward;
  };

  // z [B, K, 1 + N, d] → the same, after all layers.
  at::Tensor TimeSpace(const at::Tensor& z) const;
  // z [B, 1 + K·N, d].
  at::Tensor Full(const at::Tensor& z) const;

  const DecoderConfig config_;
  EmbeddingLayer embedding_;
  std::vector<Layer> layers_;
};

}  // namespace calfvo::train
