// SPDX-License-Identifier: Apache-2.0
#include "nn/model/vit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace calfvo {

BlockScratch TakeBlockScratch(Scratch& scratch, int64_t rows, int64_t dim, int64_t hidden) {
  return {scratch.TakeActivation(rows, dim), scratch.TakeActivation(rows, std::max(3 * dim, hidden)),
          scratch.TakeActivation(rows, dim)};
}

void AddSpatialAttention(Backend& backend, const AttentionWeights& weights, int64_t sequences, int heads,
                         const Rope* rope, const BlockScratch& scratch, const Stream& x) {
  AddAttention(backend, weights, scratch, x, [&](const Activation& qkv, const Activation& out) {
    backend.SpatialAttention(qkv, sequences, heads, rope, out);
  });
}

void AddFeedForward(Backend& backend, const FeedForwardWeights& weights, int64_t hidden,
                    const BlockScratch& scratch, const Stream& x) {
  const Activation normed = scratch.normed.For(*weights.fc1);
  const Activation inner = scratch.wide.Reshaped(x.rows, hidden).For(*weights.fc2);
  backend.LayerNorm(x, weights.norm, /*gelu=*/false, normed);
  backend.Linear(normed, *weights.fc1, /*gelu=*/true, inner);
  backend.LinearToStream(inner, *weights.fc2, /*accumulate=*/true, x);
}

std::vector<VitBlock> LoadVitBlocks(const WeightLoader& loader, int depth, double norm_eps,
                                    bool layer_scale) {
  std::vector<VitBlock> blocks;
  for (int i = 0; i < depth; ++i) {
    const std::string name = fmt::format("encoder.blocks.{}", i);
    VitBlock block;
    block.attention.norm = loader.Norm(name + ".norm1", norm_eps);
    block.attention.qkv = loader.Linear(name + ".attn.qkv");
    block.attention.proj = loader.Linear(name + ".attn.proj", layer_scale ? name + ".ls1" : "");
    block.feed_forward.norm = loader.Norm(name + ".norm2", norm_eps);
    block.feed_forward.fc1 = loader.Linear(name + ".mlp.fc1");
    block.feed_forward.fc2 = loader.Linear(name + ".mlp.fc2", layer_scale ? name + ".ls2" : "");
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace calfvo
