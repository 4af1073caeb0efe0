// SPDX-License-Identifier: Apache-2.0
#include "network/decoder.h"

#include <ATen/ops/addcmul.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>

#include "network/temporal_attention.h"

namespace calfvo::train {
namespace {

// Replaces the camera's slots of z [B, K, 1 + N, d] by their mean over the frames, in place. It is linear and
// its own transpose.
class AverageCamera : public torch::autograd::Function<AverageCamera> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, at::Tensor z) {
    context->mark_dirty({z});
    Average(z);
    return z;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext*,
                                                 torch::autograd::variable_list gradients) {
    at::Tensor gradient = gradients[0].clone();
    Average(gradient);
    return {gradient};
  }

 private:
  static void Average(const at::Tensor& z) {
    const at::Tensor slots = z.select(2, 0);
    slots.copy_(slots.mean(1, /*keepdim=*/true, at::kFloat).expand_as(slots));
  }
};

AttentionLayer LoadAttention(const WeightTable& weights, const std::string& name, double eps) {
  return {weights.Norm(name + ".norm", eps), weights.Linear(name + ".qkv"), weights.Linear(name + ".proj")};
}

}  // namespace

Decoder::Decoder(const ModelConfig& config, const WeightTable& weights, torch::nn::Module& root)
    : config_(config.decoder),
      pos_embed_(weights.Get("decoder.pos_embed")),
      time_embed_(weights.Get("decoder.time_embed")),
      camera_(weights.Get("decoder.camera")) {
  at::Tensor not_camera = at::ones({1 + config.tokens(), 1}, at::kFloat);
  not_camera[0].zero_();
  not_camera_ = root.register_buffer("not_camera", not_camera);
  for (int i = 0; i < config_.depth; ++i) {
    const std::string name = fmt::format("decoder.blocks.{}", i);
    Layer layer;
    if (config_.kind == DecoderKind::kTimeSpace) {
      layer.time = LoadAttention(weights, name + ".time", config_.norm_eps);
      layer.time_out = weights.Linear(name + ".time.out");
    }
    layer.space = LoadAttention(weights, name + ".space", config_.norm_eps);
    layer.feed_forward = {weights.Norm(name + ".ffn.norm", config_.norm_eps),
                          weights.Linear(name + ".ffn.fc1"), weights.Linear(name + ".ffn.fc2")};
    layers_.push_back(std::move(layer));
  }
}

Decoder::Output Decoder::operator()(const at::Tensor& tokens) const {
  const int64_t window = tokens.size(1);
  const at::Tensor embeddings = pos_embed_ + time_embed_.unsqueeze(1);
  const at::Tensor x = tokens + embeddings.to(tokens.scalar_type());
  Output output;
  at::Tensor camera;
  if (config_.kind == DecoderKind::kTimeSpace) {
    const at::Tensor z = TimeSpace(x);
    camera = z.select(1, 0).select(1, 0);
    output.tokens = z.narrow(2, 1, tokens.size(2));
  } else {
    const at::Tensor z = Full(x);
    camera = z.select(1, 0);
    output.tokens = z.narrow(1, 1, z.size(1) - 1).unflatten(1, {window, -1});
  }
  const at::Tensor means = output.tokens.mean(2, /*keepdim=*/false, at::kFloat);
  output.descriptors = at::cat({camera.to(at::kFloat), means.flatten(1)}, 1);
  return output;
}

// Equations (1) to (3). The camera token has one slot per frame; the slots are equal at the start and the end
// of a layer.
at::Tensor Decoder::TimeSpace(const at::Tensor& x) const {
  const int64_t dim = config_.dim;
  const std::vector<int64_t> heads = {3, config_.heads, dim / config_.heads};
  const at::Tensor camera = camera_.to(x.scalar_type()).expand({x.size(0), x.size(1), 1, dim});
  const at::Tensor not_camera = not_camera_.to(x.scalar_type());
  at::Tensor z = at::cat({camera, x}, 2);
  for (const Layer& layer : layers_) {
    const at::Tensor attended = TemporalAttention(layer.time.qkv(layer.time.norm(z)).unflatten(-1, heads));
    z = at::addcmul(z, layer.time_out(layer.time.proj(attended)), not_camera);
    z = AverageCamera::apply(z + layer.space(z.flatten(0, 1), config_.heads).view_as(z));
    z = z + layer.feed_forward(z);
  }
  return z;
}

at::Tensor Decoder::Full(const at::Tensor& x) const {
  at::Tensor z =
      at::cat({camera_.to(x.scalar_type()).expand({x.size(0), 1, config_.dim}), x.flatten(1, 2)}, 1);
  for (const Layer& layer : layers_) {
    z = z + layer.space(z, config_.heads);
    z = z + layer.feed_forward(z);
  }
  return z;
}

}  // namespace calfvo::train
