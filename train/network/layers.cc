// SPDX-License-Identifier: Apache-2.0
#include "network/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <torch/version.h>

#include <cmath>

#include "network/fused.h"

#if TORCH_VERSION_MAJOR >= 2
#include <ATen/ops/scaled_dot_product_attention.h>
#endif

namespace calfvo::train {
namespace {

// x of [S, T, heads, D], turned.
at::Tensor Rotated(const at::Tensor& x, const RopeTable& rope) {
  const int64_t groups = x.size(3) / (2 * rope.group);
  const at::Tensor cos = rope.cos.view({-1, 1, groups, rope.group});
  const at::Tensor sin = rope.sin.view({-1, 1, groups, rope.group});
  const at::Tensor pairs = x.unflatten(3, {groups, 2, rope.group});
  const at::Tensor u = pairs.select(4, 0);
  const at::Tensor v = pairs.select(4, 1);
  return at::stack({u * cos - v * sin, v * cos + u * sin}, 4).flatten(3).to(x.scalar_type());
}

QueryKeyValue SplitAndRotate(const at::Tensor& x, const LinearLayer& qkv, int64_t heads,
                             const RopeTable& rope) {
  if (auto fused = FusedQueryKeyValue(x, qkv, heads, rope)) return *fused;
  // The gradient of unbind joins those of its parts in one copy.
  const auto parts = qkv(x).unflatten(-1, {3, heads, -1}).unbind(2);
  if (!rope.cos.defined()) return {parts[0], parts[1], parts[2]};
  return {Rotated(parts[0], rope), Rotated(parts[1], rope), parts[2]};
}

// [S, heads, T, D], any strides.
at::Tensor Attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
#if TORCH_VERSION_MAJOR >= 2
  return at::scaled_dot_product_attention(q, k, v);
#else
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
  const at::Tensor scores = at::matmul(q * scale, k.transpose(-2, -1));
  return at::matmul(at::softmax(scores, -1, at::kFloat).to(v.scalar_type()), v);
#endif
}

at::Tensor Sum(const at::Tensor& x, const at::Tensor& branch, CameraRule camera) {
  if (camera == CameraRule::kNone) return x + branch;
  const int64_t tokens = x.size(2) - 1;
  if (camera == CameraRule::kSkip) return x + at::constant_pad_nd(branch.narrow(2, 1, tokens), {0, 0, 1, 0});
  const at::Tensor sum = x + branch;
  const at::Tensor cameras = sum.narrow(2, 0, 1);
  return at::cat({cameras.mean(1, /*keepdim=*/true).expand_as(cameras), sum.narrow(2, 1, tokens)}, 2);
}

}  // namespace

at::Tensor Branch::Whole() const {
  return bias.defined() ? values + bias.to(values.scalar_type()) : values;
}

at::Tensor Added(const at::Tensor& x, const Branch& branch) {
  if (auto fused = FusedAdd(x, branch)) return *fused;
  return x + branch.Whole();
}

at::Tensor LinearLayer::operator()(const at::Tensor& x) const {
  if (auto fused = FusedLinear(x, *this)) return *fused;
  return at::linear(x, weight.to(x.scalar_type()), bias.to(x.scalar_type()));
}

at::Tensor LinearLayer::ThenGelu(const at::Tensor& x) const {
  if (auto fused = FusedLinearGelu(x, *this)) return *fused;
  return at::gelu((*this)(x));
}

Branch LinearLayer::AsBranch(const at::Tensor& x) const {
  return {at::linear(x, weight.to(x.scalar_type())), bias};
}

std::vector<LinearLayer> Composed(const std::vector<LinearLayer>& outer,
                                  const std::vector<LinearLayer>& inner) {
  const auto stacked = [](const std::vector<LinearLayer>& layers, at::Tensor LinearLayer::*member) {
    std::vector<at::Tensor> tensors;
    for (const LinearLayer& layer : layers) tensors.push_back(layer.*member);
    return at::stack(tensors);
  };
  const at::Tensor outer_weight = stacked(outer, &LinearLayer::weight);
  const auto weights = at::matmul(outer_weight, stacked(inner, &LinearLayer::weight)).unbind(0);
  const at::Tensor passed = at::matmul(outer_weight, stacked(inner, &LinearLayer::bias).unsqueeze(-1));
  const auto biases = (passed.squeeze(-1) + stacked(outer, &LinearLayer::bias)).unbind(0);
  std::vector<LinearLayer> layers;
  for (size_t i = 0; i < outer.size(); ++i) layers.push_back({weights[i], biases[i]});
  return layers;
}

at::Tensor NormLayer::operator()(const at::Tensor& x) const {
  return Start(x).normed;
}

at::Tensor NormLayer::ThenGelu(const Branch& x) const {
  return ThenGeluForTwo(x).first;
}

TwoUses NormLayer::ThenGeluForTwo(const Branch& x) const {
  if (auto fused = FusedNormGelu(x, *this)) return *fused;
  const at::Tensor result = at::gelu((*this)(x.Whole()));
  return {result, result};
}

SumAndNorm NormLayer::Start(const at::Tensor& x) const {
  if (auto fused = FusedNorm(x, *this)) return *fused;
  return {x, at::layer_norm(x.to(at::kFloat), {x.size(-1)}, weight, bias, eps).to(x.scalar_type())};
}

SumAndNorm NormLayer::AfterAdding(const at::Tensor& x, const Branch& branch, CameraRule camera) const {
  if (auto fused = FusedAddNorm(x, branch, *this, camera)) return *fused;
  const at::Tensor sum = Sum(x, branch.Whole(), camera);
  return {sum, (*this)(sum)};
}

at::Tensor EmbeddingLayer::operator()(const at::Tensor& tokens, const at::Tensor& log_aspect) const {
  const at::Tensor embeddings = position + time.unsqueeze(1);
  const at::Tensor x = tokens + embeddings.to(tokens.scalar_type());
  if (!aspect.defined()) return x;
  return x + (log_aspect.view({-1, 1, 1, 1}) * aspect).to(x.scalar_type());
}

at::Tensor EmbeddingLayer::WithCameras(const at::Tensor& tokens, const at::Tensor& log_aspect) const {
  if (auto fused = FusedEmbedding(tokens, log_aspect, *this)) return *fused;
  const at::Tensor cameras = camera.to(tokens.scalar_type()).expand({tokens.size(0), tokens.size(1), 1, -1});
  return at::cat({cameras, (*this)(tokens, log_aspect)}, 2);
}

Branch ConvolutionLayer::operator()(const at::Tensor& map, int stride, int padding) const {
  const at::Tensor kernel =
      weight.to(map.scalar_type(), /*non_blocking=*/false, /*copy=*/false, at::MemoryFormat::ChannelsLast);
  const at::Tensor result = at::conv2d(map.permute({0, 3, 1, 2}), kernel, /*bias=*/{},
                                       /*stride=*/{stride, stride}, /*padding=*/{padding, padding});
  return {result.permute({0, 2, 3, 1}), bias};
}

Branch AttentionLayer::operator()(const at::Tensor& normed, int64_t heads, const RopeTable& rope) const {
  if (auto fused = FusedAttention(normed, qkv, heads, rope)) return proj.AsBranch(*fused);
  const QueryKeyValue parts = SplitAndRotate(normed, qkv, heads, rope);
  const at::Tensor attended =
      Attend(parts.q.transpose(1, 2), parts.k.transpose(1, 2), parts.v.transpose(1, 2));
  return proj.AsBranch(attended.transpose(1, 2).flatten(2));
}

Branch FeedForwardLayer::operator()(const at::Tensor& normed) const {
  if (auto fused = FusedFeedForward(normed, *this)) return {*fused, fc2.bias};
  return fc2.AsBranch(fc1.ThenGelu(normed));
}

}  // namespace calfvo::train
