// SPDX-License-Identifier: Apache-2.0
#include "network/train_network.h"

#include <ATen/core/grad_mode.h>

#include <optional>

#include "calfvo/error.h"
#include "network/decoder.h"
#include "network/encoder.h"
#include "network/initial_weights.h"
#include "network/layers.h"
#include "network/weight_table.h"

namespace calfvo::train {
namespace {

constexpr int kMotionValues = 8;  // 2 × 2 cells of (x, y)

// The model's tensors and, after them, those of the motion head.
std::vector<TensorSpec> TrainingTensors(const ModelConfig& config, bool motion_head) {
  config.Validate();
  std::vector<TensorSpec> tensors = ModelTensors(config);
  if (motion_head) {
    const bool from_encoder = config.encoder.kind == EncoderKind::kPair;
    const int64_t dim = from_encoder ? config.encoder.dim : config.decoder.dim;
    tensors.push_back({"motion.weight", {kMotionValues, dim}});
    tensors.push_back({"motion.bias", {kMotionValues}});
  }
  return tensors;
}

// [B, K, N, 8] → [B, K, 2·side, 2·side, 2].
at::Tensor CellsOfTokens(const at::Tensor& values, int64_t side) {
  const int64_t windows = values.size(0);
  return values.view({windows, -1, side, side, 2, 2, 2})
      .permute({0, 1, 2, 4, 3, 5, 6})
      .reshape({windows, -1, 2 * side, 2 * side, 2});
}

}  // namespace

struct TrainNetworkImpl::Parts {
  Parts(const ModelConfig& config, const NetworkOptions& options, torch::nn::Module& root)
      : weights(root, TrainingTensors(config, options.motion_head)),
        encoder(config, weights, root),
        decoder(config, weights),
        head(weights.Linear("head")) {
    if (config.encoder.dim != config.decoder.dim) input = weights.Linear("decoder.input");
    if (options.motion_head) motion = weights.Linear("motion");
  }

  WeightTable weights;
  Encoder encoder;
  std::optional<LinearLayer> input;
  Decoder decoder;
  LinearLayer head;
  std::optional<LinearLayer> motion;
};

TrainNetworkImpl::TrainNetworkImpl(const ModelConfig& config, const NetworkOptions& options)
    : config_(config), options_(options), parts_(std::make_unique<Parts>(config, options, *this)) {
  LoadWeights(*this, *InitialWeights(config, options.seed));
  if (options.train_encoder) return;
  for (auto& item : named_parameters()) {
    if (item.key().starts_with("encoder.")) item.value().requires_grad_(false);
  }
}

TrainNetworkImpl::~TrainNetworkImpl() = default;

NetworkOutput TrainNetworkImpl::forward(const at::Tensor& frames, const at::Tensor& before,
                                        const at::Tensor& log_aspect) {
  return Decode(Encode(frames, before), log_aspect);
}

at::Tensor TrainNetworkImpl::Encode(const at::Tensor& frames, const at::Tensor& before) {
  const at::AutoGradMode gradients(at::GradMode::is_enabled() && options_.train_encoder);
  return parts_->encoder(frames, before, dtype());
}

NetworkOutput TrainNetworkImpl::Decode(const at::Tensor& tokens, const at::Tensor& log_aspect) {
  if (config_.input.aspect && !log_aspect.defined()) {
    throw Error("input.aspect is true, but the batch has no log_aspect");
  }
  const Decoder::Output decoded =
      parts_->decoder(parts_->input ? (*parts_->input)(tokens) : tokens, log_aspect);
  NetworkOutput output;
  output.values = parts_->head(decoded.descriptors).unflatten(1, {config_.window - 1, -1});
  if (parts_->motion) {
    const bool from_encoder = config_.encoder.kind == EncoderKind::kPair;
    const at::Tensor values = (*parts_->motion)(from_encoder ? tokens : decoded.tokens);
    output.motion = CellsOfTokens(values.to(at::kFloat), config_.tokens_per_side());
  }
  return output;
}

}  // namespace calfvo::train
