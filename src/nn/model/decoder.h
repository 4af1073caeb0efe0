// SPDX-License-Identifier: Apache-2.0
// Windows of tokens to raw outputs: the decoder of the paper, equations (1) to (3), and its one linear head.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "nn/architecture/model_config.h"
#include "nn/backend/backend.h"
#include "nn/model/scratch.h"
#include "nn/model/vit.h"
#include "nn/model/weight_loader.h"
#include "nn/tensor/tensor.h"

namespace calfvo {

class Decoder {
 public:
  Decoder(const ModelConfig& config, const WeightLoader& loader);

  // The aspect ratio of the images in the windows that follow, 1 / 262144 to 262144; 1 until this is called.
  // No effect on models without ModelConfig::input.aspect. Must not be called while a Decode is running.
  void SetAspect(double width_over_height);

  // `frames` holds the tokens [N, dim] of the K frames of each window, window after window. values [windows,
  // values_per_window()], in memory of AllocateHost: the head's raw outputs. Does not wait for them.
  void Decode(std::span<const Activation> frames, float* values);

  int64_t values_per_window() const { return head_values_; }

 private:
  struct Layer {
    AttentionWeights time;
    AttentionWeights space;
    FeedForwardWeights feed_forward;
  };

  Backend& backend_;
  const DecoderConfig config_;
  const int64_t window_;
  const int64_t tokens_;
  std::optional<Tensor> times_of_square_;  // this and the next: only for models with an aspect input
  std::optional<Tensor> aspect_;
  double width_over_height_ = 1.0;
  std::unique_ptr<VectorWeights> camera_;
  std::unique_ptr<VectorWeights> positions_;
  std::unique_ptr<VectorWeights> times_;  // [K, dim], plus the aspect's contribution
  std::unique_ptr<VectorWeights> head_weight_;
  std::unique_ptr<VectorWeights> head_bias_;
  const int64_t head_values_;
  std::vector<Layer> layers_;
  Scratch scratch_;
};

}  // namespace calfvo
