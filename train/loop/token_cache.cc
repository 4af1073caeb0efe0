// SPDX-License-Identifier: Apache-2.0
#include "loop/token_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "calfvo/error.h"

namespace calfvo::train {
namespace {

// Frames are encoded by so many, the last ones with some of them twice: shapes that change from step to step
// would have every library choose its kernels again.
constexpr int64_t kFramesAtOnce = 16;

torch::Tensor IndexOn(const torch::Device& device, const std::vector<int64_t>& index) {
  return torch::tensor(index, torch::kInt64).to(device);
}

}  // namespace

TokenCache::TokenCache(TrainNetwork network, int64_t bytes) : network_(std::move(network)) {
  const ModelConfig& config = network_->config();
  if (config.encoder.kind == EncoderKind::kPair) {
    throw Error(
        "loop.cache_tokens_gb is set, but the encoder sees pairs of frames, which hardly ever come twice; "
        "leave "
        "it out");
  }
  const auto options =
      torch::TensorOptions().dtype(network_->dtype()).device(network_->parameters().front().device());
  const int64_t tokens = config.tokens();
  const int64_t frame_bytes =
      tokens * config.encoder.dim * static_cast<int64_t>(torch::elementSize(network_->dtype()));
  if (bytes < frame_bytes) {
    throw Error(
        fmt::format("loop.cache_tokens_gb holds {} bytes; one frame's tokens take {}", bytes, frame_bytes));
  }
  store_ = torch::empty({bytes / frame_bytes, tokens, config.encoder.dim}, options);
}

torch::Tensor TokenCache::Encode(const torch::Tensor& images, const std::vector<int64_t>& rows) {
  std::vector<torch::Tensor> parts;
  const auto count = static_cast<int64_t>(rows.size());
  for (int64_t begin = 0; begin < count; begin += kFramesAtOnce) {
    std::vector<int64_t> part;
    for (int64_t i = 0; i < kFramesAtOnce; ++i) {
      part.push_back(rows[static_cast<size_t>(std::min(begin + i, count - 1))]);
    }
    const torch::Tensor frames = images.index_select(0, IndexOn(images.device(), part)).unsqueeze(1);
    parts.push_back(network_->Encode(frames).squeeze(1).narrow(0, 0, std::min(kFramesAtOnce, count - begin)));
  }
  frames_encoded_ += count;
  return torch::cat(parts);
}

torch::Tensor TokenCache::Tokens(const WindowBatch& batch) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor images = batch.frames.flatten(0, 1);
  const int64_t count = images.size(0);
  const int64_t* ids = batch.frame_ids.defined() ? batch.frame_ids.data_ptr<int64_t>() : nullptr;
  std::vector<int64_t> slots(static_cast<size_t>(count), 0);  // where tokens are; 0 where they are not kept
  std::vector<int64_t> missing;                               // rows to encode
  std::vector<int64_t> kept, kept_slots;                      // of those: which are kept, and where
  std::vector<int64_t> passing, passing_rows;                 // which are not, and where they are wanted
  for (int64_t row = 0; row < count; ++row) {
    const int64_t id = ids != nullptr ? ids[row] : -1;
    auto& slot = slots[static_cast<size_t>(row)];
    if (const auto found = slot_of_id_.find(id); found != slot_of_id_.end()) {
      slot = found->second;
      continue;
    }
    const auto place = static_cast<int64_t>(missing.size());
    missing.push_back(row);
    if (id >= 0 && static_cast<int64_t>(slot_of_id_.size()) < store_.size(0)) {
      slot = static_cast<int64_t>(slot_of_id_.size());
      slot_of_id_.emplace(id, slot);
      kept.push_back(place);
      kept_slots.push_back(slot);
    } else {
      passing.push_back(place);
      passing_rows.push_back(row);
    }
  }
  const torch::Device device = images.device();
  torch::Tensor encoded;
  if (!missing.empty()) encoded = Encode(images, missing);
  if (!kept.empty()) {
    store_.index_copy_(0, IndexOn(device, kept_slots), encoded.index_select(0, IndexOn(device, kept)));
  }
  torch::Tensor tokens = store_.index_select(0, IndexOn(device, slots));
  if (!passing.empty()) {
    tokens.index_copy_(0, IndexOn(device, passing_rows), encoded.index_select(0, IndexOn(device, passing)));
  }
  return tokens.unflatten(0, {batch.frames.size(0), batch.frames.size(1)});
}

}  // namespace calfvo::train
