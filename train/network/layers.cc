// SPDX-License-Identifier: Apache-2.0
#include "network/layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <torch/version.h>

#include <cmath>

#if TORCH_VERSION_MAJOR >= 2
#include <ATen/ops/scaled_dot_product_attention.h>
#endif

namespace calfvo::train {
namespace {

// q and k of qkv [S, T, 3, heads, D], rotated.
at::Tensor Rotate(const at::Tensor& qkv, const RopeTable& rope) {
  const int64_t tokens = qkv.size(1);
  const int64_t groups = qkv.size(4) / (2 * rope.group);
  const at::Tensor cos = rope.cos.view({tokens, 1, 1, groups, rope.group});
  const at::Tensor sin = rope.sin.view({tokens, 1, 1, groups, rope.group});
  const at::Tensor turned = qkv.narrow(2, 0, 2).unflatten(4, {groups, 2, rope.group});
  const at::Tensor u = turned.select(-2, 0);
  const at::Tensor v = turned.select(-2, 1);
  const at::Tensor rotated = at::stack({u * cos - v * sin, v * cos + u * sin}, -2).flatten(4);
  return at::cat({rotated.to(qkv.scalar_type()), qkv.narrow(2, 2, 1)}, 2);
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

}  // namespace

at::Tensor LinearLayer::operator()(const at::Tensor& x) const {
  return at::linear(x, weight.to(x.scalar_type()), bias.to(x.scalar_type()));
}

at::Tensor NormLayer::operator()(const at::Tensor& x) const {
  return at::layer_norm(x.to(at::kFloat), {x.size(-1)}, weight, bias, eps).to(x.scalar_type());
}

at::Tensor NormLayer::ThenGelu(const at::Tensor& x) const {
  return at::gelu((*this)(x));
}

at::Tensor ConvolutionLayer::operator()(const at::Tensor& map, int stride, int padding) const {
  const at::Tensor kernel =
      weight.to(map.scalar_type(), /*non_blocking=*/false, /*copy=*/false, at::MemoryFormat::ChannelsLast);
  const at::Tensor result = at::conv2d(map.permute({0, 3, 1, 2}), kernel, bias.to(map.scalar_type()),
                                       /*stride=*/{stride, stride}, /*padding=*/{padding, padding});
  return result.permute({0, 2, 3, 1});
}

at::Tensor AttentionLayer::operator()(const at::Tensor& x, int64_t heads, const RopeTable& rope) const {
  at::Tensor projected = qkv(norm(x)).unflatten(-1, {3, heads, -1});
  if (rope.cos.defined()) projected = Rotate(projected, rope);
  // unbind, since the gradient of its parts is joined by one copy.
  const auto parts = projected.unbind(2);
  const auto by_head = [&](size_t i) { return parts[i].transpose(1, 2); };
  return proj(Attend(by_head(0), by_head(1), by_head(2)).transpose(1, 2).flatten(2));
}

at::Tensor FeedForwardLayer::operator()(const at::Tensor& x) const {
  return fc2(at::gelu(fc1(norm(x))));
}

}  // namespace calfvo::train
