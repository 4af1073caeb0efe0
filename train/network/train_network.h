// SPDX-License-Identifier: Apache-2.0
// The network as LibTorch modules: the runtime's twin. Parameters have the names and shapes of
// docs/network.md, so a model file written by either loads in the other.
#pragma once

#include <torch/torch.h>

#include "weights/model_config.h"
#include "weights/weight_source.h"

namespace calfvo::train {

struct NetworkOptions {
  // Adds a head that predicts the image motion of the four cells of every patch: 8 values per token, in
  // patches. It is for training only and is never exported.
  bool motion_head = false;
  // bf16 products with f32 accumulation, norms and residual stream; parameters stay f32.
  bool bf16 = false;
  bool train_encoder = true;  // false: the encoder is frozen and runs without gradients
};

struct NetworkOutput {
  torch::Tensor values;  // [B, K − 1, m] f32: the head's raw outputs, as Network::Decode gives them
  // [B, K, h·2, w·2, 2] f32, patches: where each cell of a frame was in the frame before; undefined without
  // the motion head. Frame 0's means nothing.
  torch::Tensor motion;
};

class TrainNetworkImpl : public torch::nn::Module {
 public:
  TrainNetworkImpl(const ModelConfig& config, const NetworkOptions& options);

  // `frames` [B, K, S, S, 3] uint8 RGB.
  NetworkOutput forward(const torch::Tensor& frames);

  // The two halves, for tokens that are computed once and kept: [B, K, N, dim] in between.
  torch::Tensor Encode(const torch::Tensor& frames);
  NetworkOutput Decode(const torch::Tensor& tokens);

  const ModelConfig& config() const { return config_; }

 private:
  const ModelConfig config_;
  const NetworkOptions options_;
  struct Parts;
  std::shared_ptr<Parts> parts_;  // LibTorch modules are shared by design
};
TORCH_MODULE(TrainNetwork);

// Fills the parameters from a model file's tensors; throws Error naming the one that is missing or misshapen.
// The motion head, which no model file has, keeps its values.
void LoadWeights(TrainNetworkImpl& network, const WeightSource& weights);

}  // namespace calfvo::train
