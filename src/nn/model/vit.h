// SPDX-License-Identifier: Apache-2.0
// Pre-norm transformer blocks: x += proj(attention(qkv(norm1(x)))), x += fc2(gelu(fc1(norm2(x)))).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nn/backend/backend.h"
#include "nn/model/scratch.h"
#include "nn/model/weight_loader.h"

namespace calfvo {

struct AttentionWeights {
  NormWeights norm;
  std::unique_ptr<LinearWeights> qkv;
  std::unique_ptr<LinearWeights> proj;
};

struct FeedForwardWeights {
  NormWeights norm;
  std::unique_ptr<LinearWeights> fc1;
  std::unique_ptr<LinearWeights> fc2;
};

// The intermediate matrices of a block, for a residual stream of `rows` rows.
struct BlockScratch {
  Activation normed;    // [rows, dim]
  Activation wide;      // [rows, max(3·dim, hidden)]
  Activation attended;  // [rows, dim]
};
BlockScratch TakeBlockScratch(Scratch& scratch, int64_t rows, int64_t dim, int64_t hidden);

// x += proj(attend(qkv(norm(x)))); attend(qkv, out) is one of the backend's kinds of attention.
template <typename Attend>
void AddAttention(Backend& backend, const AttentionWeights& weights, const BlockScratch& scratch,
                  const Stream& x, const Attend& attend) {
  const Activation normed = scratch.normed.For(*weights.qkv);
  const Activation qkv = scratch.wide.Reshaped(x.rows, 3 * x.cols);
  const Activation attended = scratch.attended.For(*weights.proj);
  backend.LayerNorm(x, weights.norm, /*gelu=*/false, normed);
  backend.Linear(normed, *weights.qkv, /*gelu=*/false, qkv);
  attend(qkv, attended);
  backend.LinearToStream(attended, *weights.proj, /*accumulate=*/true, x);
}

// x += attention within each of `sequences` sequences.
void AddSpatialAttention(Backend& backend, const AttentionWeights& weights, int64_t sequences, int heads,
                         const Rope* rope, const BlockScratch& scratch, const Stream& x);

// x += fc2(gelu(fc1(norm(x)))).
void AddFeedForward(Backend& backend, const FeedForwardWeights& weights, int64_t hidden,
                    const BlockScratch& scratch, const Stream& x);

struct VitBlock {
  AttentionWeights attention;
  FeedForwardWeights feed_forward;
};

// The blocks `encoder.blocks.0`, …; `layer_scale` multiplies the branches by ls1 and ls2.
std::vector<VitBlock> LoadVitBlocks(const WeightLoader& loader, int depth, double norm_eps, bool layer_scale);

}  // namespace calfvo
