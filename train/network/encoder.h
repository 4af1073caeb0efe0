// SPDX-License-Identifier: Apache-2.0
// Frames to tokens: all the encoders of docs/network.md.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <array>
#include <vector>

#include "network/image_input.h"
#include "network/layers.h"
#include "network/weight_table.h"
#include "nn/architecture/model_config.h"

namespace calfvo::train {

class Encoder {
 public:
  // Constants (positions, the input's scale) become buffers of `root`.
  Encoder(const ModelConfig& config, const WeightTable& weights, torch::nn::Module& root);

  // `frames` [B, K, S, S, 3] uint8 → [B, K, N, dim] of `dtype`. `before` [B, S, S, 3] precedes frame 0 for
  // encoders of pairs; undefined, frame 0 precedes itself.
  at::Tensor operator()(const at::Tensor& frames, const at::Tensor& before, at::ScalarType dtype) const;

 private:
  struct StemBlock {
    ConvolutionLayer conv1;
    NormLayer norm;
    ConvolutionLayer conv2;
  };
  struct StemStage {
    ConvolutionLayer conv;
    NormLayer norm;
    std::vector<StemBlock> blocks;

    TwoUses Halved(const at::Tensor& map) const;
  };
  struct Block {
    NormLayer norm1;
    AttentionLayer attention;
    NormLayer norm2;
    FeedForwardLayer feed_forward;
    at::Tensor attention_scale, feed_forward_scale;  // undefined without layer scale
  };

  void LoadStem(const WeightTable& weights);
  void LoadBlocks(const WeightTable& weights);
  void LoadRope(const WeightTable& weights, torch::nn::Module& root);

  at::Tensor Stem(const at::Tensor& frames, const at::Tensor& before, at::ScalarType dtype) const;
  at::Tensor WithPrefix(const at::Tensor& patches) const;
  at::Tensor PatchPositions() const;
  RopeTable Rope() const;

  const ModelConfig config_;
  InputScale input_;
  std::array<StemStage, 4> stem_;  // pair
  ConvolutionLayer patch_embed_;   // the others, as are the next three where there are such tensors
  at::Tensor cls_token_, registers_, pos_embed_;
  at::Tensor positions_;    // [N, 2, 1] f32, (y, x)
  at::Tensor frequencies_;  // [head size / 4] f32: croco, pair
  at::Tensor periods_;      // [head size / 4] f32: dinov3
  std::vector<Block> blocks_;
  NormLayer norm_;
};

}  // namespace calfvo::train
