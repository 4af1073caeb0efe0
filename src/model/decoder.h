// SPDX-License-Identifier: Apache-2.0
// Windows of tokens to raw outputs: the decoder of the paper, equations (1) to (3), and its one linear head.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "model/scratch.h"
#include "model/vit.h"
#include "model/weight_loader.h"
#include "weights/model_config.h"

namespace calfvo {

class Decoder {
 public:
  Decoder(const ModelConfig& config, const WeightLoader& loader);

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
  std::unique_ptr<VectorWeights> camera_;
  std::unique_ptr<VectorWeights> positions_;
  std::unique_ptr<VectorWeights> times_;
  std::unique_ptr<VectorWeights> head_weight_;
  std::unique_ptr<VectorWeights> head_bias_;
  const int64_t head_values_;
  std::vector<Layer> layers_;
  Scratch scratch_;
};

}  // namespace calfvo
