// SPDX-License-Identifier: Apache-2.0
#include "nn/model/network.h"

#include <fmt/format.h>

#include <algorithm>

#include "calfvo/error.h"
#include "nn/model/weight_loader.h"

namespace calfvo {

FrameTokens::FrameTokens(Backend& backend, int64_t tokens, int64_t dim) {
  const size_t element_size = backend.ElementSize(Role::kActivation);
  buffer_ = backend.Allocate(static_cast<size_t>(tokens * dim) * element_size);
  view_ = {buffer_->data(), tokens, dim, element_size};
}

Network::Network(const ModelConfig& config, const WeightSource& weights, Backend& backend)
    : config_(config),
      backend_(backend),
      encoder_(MakeEncoder(config, WeightLoader(backend, weights))),
      decoder_(config, WeightLoader(backend, weights)) {
  if (config.encoder.dim != config.decoder.dim)
    input_ = WeightLoader(backend, weights).Linear("decoder.input");
}

FrameTokens Network::MakeTokens() const {
  return {backend_, config_.tokens(), config_.decoder.dim};
}

void Network::Encode(std::span<const EncoderInput> frames, std::span<FrameTokens* const> out) {
  backend_.Enter(Lane::kEncode);
  views_.clear();
  if (input_ == nullptr) {
    for (const FrameTokens* tokens : out) views_.push_back(tokens->view());
    encoder_->Encode(frames, views_);
    backend_.FinishUploads();
    return;
  }
  while (encoded_.size() < frames.size())
    encoded_.emplace_back(backend_, config_.tokens(), config_.encoder.dim);
  for (size_t i = 0; i < frames.size(); ++i) views_.push_back(encoded_[i].view());
  encoder_->Encode(frames, views_);
  for (size_t i = 0; i < frames.size(); ++i) {
    backend_.Linear(encoded_[i].view(), *input_, /*gelu=*/false, out[i]->view());
  }
  backend_.FinishUploads();
}

void Network::Decode(std::span<const FrameTokens* const> frames, std::span<float> values) {
  BeginDecode(frames);
  FinishDecode(values);
}

void Network::BeginDecode(std::span<const FrameTokens* const> frames) {
  backend_.Enter(Lane::kDecode);
  const size_t windows = frames.size() / static_cast<size_t>(config_.window);
  const size_t values = windows * static_cast<size_t>(values_per_window());
  if (values > values_capacity_) {
    values_ = backend_.AllocateHost(values * sizeof(float));
    values_capacity_ = values;
  }
  views_.clear();
  for (const FrameTokens* tokens : frames) views_.push_back(tokens->view());
  decoder_.Decode(views_, reinterpret_cast<float*>(values_->data()));
}

void Network::FinishDecode(std::span<float> values) {
  backend_.Wait(Lane::kDecode);
  std::copy_n(reinterpret_cast<const float*>(values_->data()), values.size(), values.begin());
}

std::vector<PairEstimate> Network::Interpret(std::span<const float> values) const {
  const auto per_pair = static_cast<size_t>(config_.head.values_per_pair());
  std::vector<PairEstimate> estimates;
  for (size_t first = 0; first < values.size(); first += per_pair) {
    try {
      estimates.push_back(InterpretPair(config_.head, values.subspan(first, per_pair)));
    } catch (const Error& error) {
      throw Error(fmt::format("model {}: {}; its weights are damaged or were not trained", config_.name,
                              error.what()));
    }
  }
  return estimates;
}

}  // namespace calfvo
