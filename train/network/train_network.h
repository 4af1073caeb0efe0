// SPDX-License-Identifier: Apache-2.0
// The network as a LibTorch module: the runtime's twin. Parameters have the names and shapes of
// docs/network.md, so a model file written by either loads in the other.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "nn/architecture/model_config.h"
#include "nn/tensor/dtype.h"
#include "nn/weights/weight_source.h"

namespace calfvo::train {

struct NetworkOptions {
  // Adds a head that predicts the image motion of the four cells of every patch: 8 values per token, in
  // patches. It is for training only and is never exported.
  bool motion_head = false;
  // Activations, the residual stream and the factors of products in bf16; sums, norms, softmax and the head
  // in f32. Parameters stay f32.
  bool bf16 = false;
  bool train_encoder = true;  // false: the encoder is frozen and runs without gradients
  uint64_t seed = 0;          // of the initial weights
};

struct NetworkOutput {
  at::Tensor values;  // [B, K − 1, m] f32: the head's raw outputs, as Network::Decode gives them
  // [B, K, h·2, w·2, 2] f32, patches (x, y): where each cell of a frame was in the frame before; undefined
  // without the motion head. Frame 0's means nothing.
  at::Tensor motion;
};

// Nothing in the forward or backward pass waits for the device or depends on values in its control flow, so a
// step can be captured in a CUDA graph. Parameters may be moved, or made views of one buffer, with set_data.
class TrainNetworkImpl : public torch::nn::Module {
 public:
  // Weights suited to training from scratch. Throws Error for an invalid configuration.
  TrainNetworkImpl(const ModelConfig& config, const NetworkOptions& options);
  ~TrainNetworkImpl() override;

  // `frames` [B, K, S, S, 3] and `before` [B, S, S, 3], uint8 RGB, as in WindowBatch. Encoders of single
  // frames do not look at `before`. `log_aspect` [B] f32, likewise, is needed where the configuration has
  // input.aspect, and not looked at elsewhere.
  NetworkOutput forward(const at::Tensor& frames, const at::Tensor& before = {},
                        const at::Tensor& log_aspect = {});

  // The two halves, for tokens that are computed once and kept: [B, K, N, dim] in between.
  at::Tensor Encode(const at::Tensor& frames, const at::Tensor& before = {});
  NetworkOutput Decode(const at::Tensor& tokens, const at::Tensor& log_aspect = {});

  const ModelConfig& config() const { return config_; }
  at::ScalarType dtype() const { return options_.bf16 ? at::kBFloat16 : at::kFloat; }  // of activations

 private:
  const ModelConfig config_;
  const NetworkOptions options_;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};
TORCH_MODULE(TrainNetwork);

// Fills the parameters from a model file's tensors; throws Error naming the one that is missing or misshapen.
// The motion head, which no model file has, keeps its values.
void LoadWeights(TrainNetworkImpl& network, const WeightSource& weights);
// The same for these of its tensors; the others keep their values.
void LoadTensors(TrainNetworkImpl& network, const WeightSource& weights,
                 const std::vector<TensorSpec>& wanted);

// Writes the network as a model file (nn/architecture/model_file.h) with `config`, which may differ from the
// network's in what has no tensors: name, licence, training, calibration. The motion head stays out.
void SaveModel(const TrainNetworkImpl& network, const ModelConfig& config, DType dtype,
               const std::filesystem::path& path);

}  // namespace calfvo::train
