// SPDX-License-Identifier: Apache-2.0
// Tokens of a frozen encoder, kept for frames that come again.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "data/window_stream.h"
#include "network/train_network.h"

namespace calfvo::train {

// Windows of recorded video overlap, and a frozen encoder makes the same tokens of a frame each time. They
// are kept on the network's device, by WindowBatch::frame_ids, until the memory is full; what comes later is
// encoded whenever it comes. Frames without a number are never kept.
class TokenCache {
 public:
  // `bytes` are taken at once. Throws Error where they do not hold one frame, and for encoders of pairs,
  // whose tokens depend on the frame before too.
  TokenCache(TrainNetwork network, int64_t bytes);

  // [B, K, N, dim], what network->Encode gives to rounding, without gradients.
  torch::Tensor Tokens(const WindowBatch& batch);

  int64_t frames_encoded() const { return frames_encoded_; }  // since the beginning

 private:
  // Of the images [frames, S, S, 3] with these numbers: [rows, N, dim].
  torch::Tensor Encode(const torch::Tensor& images, const std::vector<int64_t>& rows);

  TrainNetwork network_;
  torch::Tensor store_;                              // [capacity, N, dim]
  std::unordered_map<int64_t, int64_t> slot_of_id_;  // in the store
  int64_t frames_encoded_ = 0;
};

}  // namespace calfvo::train
