// SPDX-License-Identifier: Apache-2.0
#include "network/encoder.h"

#include <ATen/ops/_upsample_bicubic2d_aa.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/upsample_bicubic2d.h>
#include <fmt/format.h>

#include <numbers>
#include <utility>

#include "network/fused.h"

namespace calfvo::train {
namespace {

Branch Scaled(const Branch& branch, const at::Tensor& scale) {
  if (!scale.defined()) return branch;
  return {branch.Whole() * scale.to(branch.values.scalar_type()), {}};
}

}  // namespace

Encoder::Encoder(const ModelConfig& config, const WeightTable& weights, torch::nn::Module& root)
    : config_(config), norm_(weights.Norm("encoder.norm", config.encoder.norm_eps)) {
  at::Tensor scale = at::empty({3}, at::kFloat);
  at::Tensor shift = at::empty({3}, at::kFloat);
  for (size_t c = 0; c < 3; ++c) {
    scale.data_ptr<float>()[c] = static_cast<float>(1.0 / (255.0 * config.input.std[c]));
    shift.data_ptr<float>()[c] = static_cast<float>(-config.input.mean[c] / config.input.std[c]);
  }
  input_ = {root.register_buffer("input_scale", scale), root.register_buffer("input_shift", shift)};

  if (config.encoder.kind == EncoderKind::kPair) {
    LoadStem(weights);
  } else {
    patch_embed_ = weights.Convolution("encoder.patch_embed");
  }
  if (config.encoder.prefix_tokens() > 0) cls_token_ = weights.Get("encoder.cls_token");
  if (config.encoder.prefix_tokens() > 1) registers_ = weights.Get("encoder.registers");
  if (config.encoder.kind == EncoderKind::kDinov2) {
    pos_embed_ = weights.Get("encoder.pos_embed");
  } else {
    LoadRope(weights, root);
  }
  LoadBlocks(weights);
}

void Encoder::LoadStem(const WeightTable& weights) {
  const double eps = config_.encoder.norm_eps;
  for (size_t s = 0; s < stem_.size(); ++s) {
    const std::string name = fmt::format("encoder.stem.{}", s);
    stem_[s] = {weights.Convolution(name + ".conv"), weights.Norm(name + ".norm", eps), {}};
    for (int b = 0; b < config_.encoder.blocks[s]; ++b) {
      const std::string inner = fmt::format("{}.blocks.{}", name, b);
      stem_[s].blocks.push_back({weights.Convolution(inner + ".conv1"), weights.Norm(inner + ".norm", eps),
                                 weights.Convolution(inner + ".conv2")});
    }
  }
}

void Encoder::LoadBlocks(const WeightTable& weights) {
  const double eps = config_.encoder.norm_eps;
  for (int i = 0; i < config_.encoder.depth; ++i) {
    const std::string name = fmt::format("encoder.blocks.{}", i);
    Block block;
    block.norm1 = weights.Norm(name + ".norm1", eps);
    block.attention = {weights.Linear(name + ".attn.qkv"), weights.Linear(name + ".attn.proj")};
    block.norm2 = weights.Norm(name + ".norm2", eps);
    block.feed_forward = {weights.Linear(name + ".mlp.fc1"), weights.Linear(name + ".mlp.fc2")};
    if (weights.Has(name + ".ls1")) {
      block.attention_scale = weights.Get(name + ".ls1");
      block.feed_forward_scale = weights.Get(name + ".ls2");
    }
    blocks_.push_back(std::move(block));
  }
}

void Encoder::LoadRope(const WeightTable& weights, torch::nn::Module& root) {
  const EncoderConfig& encoder = config_.encoder;
  const int64_t side = config_.tokens_per_side();
  at::Tensor line = at::arange(side, at::kFloat);
  if (encoder.kind == EncoderKind::kDinov3) {
    line = (line + 0.5) * (2.0 / static_cast<double>(side)) - 1.0;
    periods_ = weights.Get("encoder.rope_periods");
  } else {
    const int64_t quarter = encoder.dim / encoder.heads / 4;
    const at::Tensor exponents = at::arange(quarter, at::kDouble) / -static_cast<double>(quarter);
    frequencies_ =
        root.register_buffer("rope_frequencies", at::pow(encoder.rope_base, exponents).to(at::kFloat));
  }
  const at::Tensor y = line.view({side, 1}).expand({side, side});
  positions_ = root.register_buffer("rope_positions", at::stack({y, y.t()}, -1).view({side * side, 2, 1}));
}

RopeTable Encoder::Rope() const {
  if (!positions_.defined()) return {};
  const bool has_periods = periods_.defined();
  const at::Tensor frequencies = has_periods ? 2.0 * std::numbers::pi / periods_ : frequencies_;
  const at::Tensor angles = (positions_ * frequencies).flatten(1);
  // The prefix is not turned.
  const std::vector<int64_t> rows_before = {0, 0, config_.encoder.prefix_tokens(), 0};
  return {at::constant_pad_nd(angles.cos(), rows_before, 1.0),
          at::constant_pad_nd(angles.sin(), rows_before, 0.0), (has_periods ? 2 : 1) * frequencies.size(0)};
}

TwoUses Encoder::StemStage::Halved(const at::Tensor& map) const {
  return norm.ThenGeluForTwo(conv(map, /*stride=*/2, /*padding=*/1));
}

at::Tensor Encoder::Stem(const at::Tensor& frames, const at::Tensor& before, at::ScalarType dtype) const {
  const StemStage& first = stem_.front();
  TwoUses map;
  if (auto fused = FusedFirstStage(frames, before, input_, first.conv, first.norm, dtype)) {
    map = {*fused, *fused};
  } else {
    map = first.Halved(NormalizedPairs(frames, before, input_, dtype));
  }
  for (const StemStage& stage : stem_) {
    if (&stage != &first) map = stage.Halved(map.first);
    for (const StemBlock& block : stage.blocks) {
      const Branch branch = block.conv2(block.norm.ThenGelu(block.conv1(map.first, 1, 1)), 1, 1);
      const at::Tensor sum = Added(map.second, branch);
      map = {sum, sum};
    }
  }
  return map.first;
}

// DINOv2's embeddings of patches [N, dim], resized by the rule that the model was published with.
at::Tensor Encoder::PatchPositions() const {
  const int64_t side = config_.tokens_per_side();
  const int64_t grid = config_.encoder.grid;
  const at::Tensor patches = pos_embed_.narrow(0, 1, grid * grid);
  if (side == grid) return patches;
  const at::Tensor map = patches.view({1, grid, grid, -1}).permute({0, 3, 1, 2});
  at::Tensor resized;
  if (config_.encoder.interpolation == PositionInterpolation::kOffset) {
    const double scale = (static_cast<double>(side) + 0.1) / static_cast<double>(grid);
    resized = at::upsample_bicubic2d(map, {side, side}, /*align_corners=*/false, scale, scale);
  } else {
    resized = at::_upsample_bicubic2d_aa(map, {side, side}, /*align_corners=*/false);
  }
  return resized.permute({0, 2, 3, 1}).reshape({side * side, -1});
}

at::Tensor Encoder::WithPrefix(const at::Tensor& patches) const {
  at::Tensor cls = cls_token_.unsqueeze(0);
  at::Tensor body = patches;
  if (pos_embed_.defined()) {
    cls = cls + pos_embed_.narrow(0, 0, 1);
    body = patches + PatchPositions().to(patches.scalar_type());
  }
  const at::Tensor prefix =
      (registers_.defined() ? at::cat({cls, registers_}) : cls).to(patches.scalar_type());
  return at::cat({prefix.expand({patches.size(0), -1, -1}), body}, 1);
}

at::Tensor Encoder::operator()(const at::Tensor& frames, const at::Tensor& before,
                               at::ScalarType dtype) const {
  const EncoderConfig& encoder = config_.encoder;
  at::Tensor x;
  if (encoder.kind == EncoderKind::kPair) {
    x = Stem(frames, before, dtype).flatten(1, 2);
  } else {
    x = patch_embed_(NormalizedFrames(frames, input_, dtype), encoder.patch, 0).Whole().flatten(1, 2);
    if (cls_token_.defined()) x = WithPrefix(x);
  }
  const RopeTable rope = Rope();
  SumAndNorm stream = blocks_.front().norm1.Start(x);
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    const Branch attended =
        Scaled(block.attention(stream.normed, encoder.heads, rope), block.attention_scale);
    const SumAndNorm middle = block.norm2.AfterAdding(stream.sum, attended);
    const Branch fed = Scaled(block.feed_forward(middle.normed), block.feed_forward_scale);
    const NormLayer& next = i + 1 < blocks_.size() ? blocks_[i + 1].norm1 : norm_;
    stream = next.AfterAdding(middle.sum, fed);
  }
  at::Tensor tokens = stream.normed;
  // Not without need: the gradient of a part is a copy.
  if (const int64_t prefix = encoder.prefix_tokens(); prefix > 0) {
    tokens = tokens.narrow(1, prefix, config_.tokens());
  }
  return tokens.unflatten(0, {frames.size(0), -1});
}

}  // namespace calfvo::train
