// SPDX-License-Identifier: Apache-2.0
// Tokens of K frames to descriptors: both decoders of docs/network.md.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <vector>

#include "network/layers.h"
#include "network/weight_table.h"
#include "weights/model_config.h"

namespace calfvo::train {

class Decoder {
 public:
  struct Output {
    at::Tensor descriptors;  // [B, (1 + K)·d] f32: the camera token, then each frame's mean
    at::Tensor tokens;       // [B, K, N, d]: the last layer's
  };

  Decoder(const ModelConfig& config, const WeightTable& weights, torch::nn::Module& root);

  // `tokens` [B, K, N, d].
  Output operator()(const at::Tensor& tokens) const;

 private:
  struct Layer {
    AttentionLayer time;  // time_space only, like the next
    LinearLayer time_out;
    AttentionLayer space;
    FeedForwardLayer feed_forward;
  };

  at::Tensor TimeSpace(const at::Tensor& x) const;
  at::Tensor Full(const at::Tensor& x) const;

  const DecoderConfig config_;
  at::Tensor pos_embed_, time_embed_, camera_;
  at::Tensor not_camera_;  // [1 + N, 1] f32: 0 for the camera's slot, 1 for tokens
  std::vector<Layer> layers_;
};

}  // namespace calfvo::train
