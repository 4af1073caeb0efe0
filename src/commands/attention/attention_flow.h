// SPDX-License-Identifier: Apache-2.0
// The attention that one patch receives from all others of a window.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/backend/backend.h"
#include "nn/backend/ref/ref_backend.h"

namespace calfvo {

// Averages over heads and layers. In a `full` layer the attention from any token to the followed one is a
// weight. In a time–space layer it is the product of two: a token attends within its frame to the place of
// the followed token, and that place attends in time to the followed token's frame. Residual connections,
// which keep a token where it is, do not count.
class AttentionFlow : public AttentionObserver {
 public:
  // `shape` is of one window; a camera slot per frame means time–space layers.
  AttentionFlow(const WindowShape& shape, int64_t frame, int64_t token);

  // What is attended before this (the encoder's) is passed over.
  void Start() { started_ = true; }

  void BeginAttention(int heads) override;
  void Attended(std::span<const int64_t> rows, std::span<const float> weights) override;

  // From each token of a frame to the followed one, 0 … 1, over the layers so far.
  std::vector<double> Received(int64_t frame);

 private:
  void EndAttention();

  const WindowShape shape_;
  const size_t followed_row_;
  const int attentions_per_layer_;
  bool started_ = false;
  int attentions_ = 0;            // that ended
  int heads_ = 0;                 // of the one under way; 0 if there is none
  std::vector<double> shares_;    // per row: how much of the followed token it holds, within the layer
  std::vector<double> attended_;  // Σ weight·share over the heads of the attention under way
  std::vector<double> sum_;       // of shares at the ends of layers
};

}  // namespace calfvo
