// SPDX-License-Identifier: Apache-2.0
#include "estimator/network_estimator.h"

#include <algorithm>

#include "estimator/calibration_pictures.h"

namespace calfvo {

NetworkEstimator::NetworkEstimator(const ModelFile& model, const BackendKind& kind, int threads)
    : backend_(MakeBackend(kind, threads)), network_(model.config, *model.weights, *backend_) {
  if (backend_->BeginCalibration()) {
    Calibrate();
    backend_->EndCalibration();
  }
}

void NetworkEstimator::Calibrate() {
  const std::vector<float> pictures = CalibrationPictures(network_.config().input, window());
  std::vector<const float*> views;
  for (size_t i = 0; i < static_cast<size_t>(window()); ++i) views.push_back(&pictures[i * input_size()]);
  Start(window());
  AddFrames(views);
  BeginEstimate({{0}});
  network_.FinishDecode(values_);  // and nobody asks what noise means
}

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

void NetworkEstimator::BeginEstimate(std::span<const int64_t> first_frames) {
  window_tokens_.clear();
  for (const int64_t first : first_frames) {
    for (int i = 0; i < window(); ++i) window_tokens_.push_back(&TokensOf(first + i));
  }
  values_.resize(first_frames.size() * static_cast<size_t>(network_.values_per_window()));
  network_.BeginDecode(window_tokens_);
}

void NetworkEstimator::FinishEstimate(std::span<PairEstimate> estimates) {
  network_.FinishDecode(values_);
  const std::vector<PairEstimate> interpreted = network_.Interpret(values_);
  std::copy(interpreted.begin(), interpreted.end(), estimates.begin());
}

PictureMemory NetworkEstimator::AllocatePictures(size_t count) {
  const std::shared_ptr<Buffer> buffer = backend_->AllocateHost(count * input_size() * sizeof(float));
  return {reinterpret_cast<float*>(buffer->data()), [buffer](const float*) {}};
}

}  // namespace calfvo
