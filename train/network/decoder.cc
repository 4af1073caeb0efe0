// SPDX-License-Identifier: Apache-2.0
#include "network/decoder.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

#include "network/temporal_attention.h"

namespace calfvo::train {
namespace {

AttentionLayer LoadAttention(const WeightTable& weights, const std::string& name) {
  return {weights.Linear(name + ".qkv"), weights.Linear(name + ".proj")};
}

// Views into what the layers leave.
struct Decoded {
  at::Tensor cameras;  // [B, K, d]; [B, 1, d] of the full decoder
  at::Tensor tokens;   // [B, K, N, d]
};

// z as TimeSpace or Full gives it.
Decoded Parts(const at::Tensor& z, int64_t frames) {
  if (z.dim() == 4) return {z.select(2, 0), z.narrow(2, 1, z.size(2) - 1)};
  return {z.narrow(1, 0, 1), z.narrow(1, 1, z.size(1) - 1).unflatten(1, {frames, -1})};
}

// z → the first camera token and the means of frames, [B, (1 + K)·d] f32. Its gradient is written in one
// pass, where those of views would each be a tensor of the size of z.
class DescriptorsFunction : public torch::autograd::Function<DescriptorsFunction> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& z, int64_t frames) {
    context->saved_data["sizes"] = z.sizes().vec();
    context->saved_data["dtype"] = z.scalar_type();
    context->saved_data["frames"] = frames;
    const Decoded parts = Parts(z, frames);
    const at::Tensor means = parts.tokens.mean(2, /*keepdim=*/false, at::kFloat);
    return at::cat({parts.cameras.select(1, 0).to(at::kFloat), means.flatten(1)}, 1);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const int64_t frames = context->saved_data["frames"].toInt();
    const at::Tensor of_frames = gradients[0].unflatten(1, {1 + frames, -1});  // the camera's comes first
    const at::ScalarType dtype = context->saved_data["dtype"].toScalarType();
    const at::Tensor of_z =
        at::empty(context->saved_data["sizes"].toIntVector(), of_frames.options().dtype(dtype));
    const Decoded parts = Parts(of_z, frames);
    parts.cameras.zero_();
    parts.cameras.select(1, 0).copy_(of_frames.select(1, 0));
    const at::Tensor of_means = of_frames.narrow(1, 1, frames) / static_cast<double>(parts.tokens.size(2));
    parts.tokens.copy_(of_means.to(dtype).unsqueeze(2));
    return {of_z, {}};
  }
};

}  // namespace

Decoder::Decoder(const ModelConfig& config, const WeightTable& weights)
    : config_(config.decoder),
      embedding_{weights.Get("decoder.pos_embed"),
                 weights.Get("decoder.time_embed"),
                 weights.Get("decoder.camera"),
                 {}} {
  if (config.input.aspect) embedding_.aspect = weights.Get("decoder.aspect");
  const double eps = config_.norm_eps;
  for (int i = 0; i < config_.depth; ++i) {
    const std::string name = fmt::format("decoder.blocks.{}", i);
    Layer layer;
    if (config_.kind == DecoderKind::kTimeSpace) {
      layer.time_norm = weights.Norm(name + ".time.norm", eps);
      layer.time = LoadAttention(weights, name + ".time");
      layer.time_out = weights.Linear(name + ".time.out");
    }
    layer.space_norm = weights.Norm(name + ".space.norm", eps);
    layer.space = LoadAttention(weights, name + ".space");
    layer.feed_forward_norm = weights.Norm(name + ".ffn.norm", eps);
    layer.feed_forward = {weights.Linear(name + ".ffn.fc1"), weights.Linear(name + ".ffn.fc2")};
    layers_.push_back(std::move(layer));
  }
}

Decoder::Output Decoder::operator()(const at::Tensor& tokens, const at::Tensor& log_aspect) const {
  const int64_t frames = tokens.size(1);
  at::Tensor z;
  if (config_.kind == DecoderKind::kTimeSpace) {
    z = TimeSpace(embedding_.WithCameras(tokens, log_aspect));
  } else {
    const at::Tensor camera = embedding_.camera.to(tokens.scalar_type()).expand({tokens.size(0), 1, -1});
    z = Full(at::cat({camera, embedding_(tokens, log_aspect).flatten(1, 2)}, 1));
  }
  return {DescriptorsFunction::apply(z, frames), Parts(z, frames).tokens};
}

// Equations (1) to (3). The camera token has one slot per frame; the slots are equal at the start and the end
// of a layer.
at::Tensor Decoder::TimeSpace(const at::Tensor& z) const {
  std::vector<LinearLayer> out, proj;
  for (const Layer& layer : layers_) {
    out.push_back(layer.time_out);
    proj.push_back(layer.time.proj);
  }
  const std::vector<LinearLayer> time_out = Composed(out, proj);
  SumAndNorm stream = layers_.front().time_norm.Start(z);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const at::Tensor qkv = layer.time.qkv(stream.normed).unflatten(-1, {3, config_.heads, -1});
    const Branch in_time = time_out[i].AsBranch(TemporalAttention(qkv));
    const SumAndNorm after_time = layer.space_norm.AfterAdding(stream.sum, in_time, CameraRule::kSkip);
    Branch in_space = layer.space(after_time.normed.flatten(0, 1), config_.heads);
    in_space.values = in_space.values.view_as(z);
    const SumAndNorm after_space =
        layer.feed_forward_norm.AfterAdding(after_time.sum, in_space, CameraRule::kMean);
    const Branch fed = layer.feed_forward(after_space.normed);
    if (i + 1 == layers_.size()) return Added(after_space.sum, fed);
    stream = layers_[i + 1].time_norm.AfterAdding(after_space.sum, fed);
  }
  return stream.sum;
}

at::Tensor Decoder::Full(const at::Tensor& z) const {
  SumAndNorm stream = layers_.front().space_norm.Start(z);
  for (size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const SumAndNorm middle =
        layer.feed_forward_norm.AfterAdding(stream.sum, layer.space(stream.normed, config_.heads));
    const Branch fed = layer.feed_forward(middle.normed);
    if (i + 1 == layers_.size()) return Added(middle.sum, fed);
    stream = layers_[i + 1].space_norm.AfterAdding(middle.sum, fed);
  }
  return stream.sum;
}

}  // namespace calfvo::train
