// SPDX-License-Identifier: Apache-2.0
#include "estimator/network_estimator.h"

#include <algorithm>

namespace calfvo {

NetworkEstimator::NetworkEstimator(const ModelFile& model, const BackendKind& kind, int threads)
    : backend_(MakeBackend(kind, threads)), network_(model.config, *model.weights, *backend_) {}

size_t NetworkEstimator::input_size() const {
  const auto side = static_cast<size_t>(network_.config().input.size);
  return 3 * side * side;
}

void NetworkEstimator::Start(int frames_kept) {
  while (std::ssize(ring_) < frames_kept) ring_.push_back(network_.MakeTokens());
  frames_ = 0;
}

void NetworkEstimator::AddFrames(std::span<const float* const> pictures) {
  if (pictures.empty()) return;
  if (frames_ == 0) last_picture_.assign(pictures.front(), pictures.front() + input_size());
  images_.clear();
  encoded_.clear();
  for (size_t i = 0; i < pictures.size(); ++i) {
    images_.push_back({i == 0 ? last_picture_.data() : pictures[i - 1], pictures[i]});
    encoded_.push_back(&TokensOf(frames_ + static_cast<int64_t>(i)));
  }
  network_.Encode(images_, encoded_);
  frames_ += std::ssize(pictures);
  std::copy_n(pictures.back(), input_size(), last_picture_.begin());
}

void NetworkEstimator::Estimate(std::span<const int64_t> first_frames, std::span<PairEstimate> estimates) {
  window_tokens_.clear();
  for (const int64_t first : first_frames) {
    for (int i = 0; i < window(); ++i) window_tokens_.push_back(&TokensOf(first + i));
  }
  values_.resize(first_frames.size() * static_cast<size_t>(network_.values_per_window()));
  network_.Decode(window_tokens_, values_);
  const std::vector<PairEstimate> interpreted = network_.Interpret(values_);
  std::copy(interpreted.begin(), interpreted.end(), estimates.begin());
}

}  // namespace calfvo
