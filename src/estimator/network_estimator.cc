// SPDX-License-Identifier: Apache-2.0
#include "estimator/network_estimator.h"

#include <algorithm>
#include <utility>

#include "estimator/calibration_pictures.h"

namespace calfvo {

NetworkEstimator::NetworkEstimator(const ModelFile& model, const BackendKind& kind, int threads)
    : backend_(MakeBackend(kind, threads)),
      network_(model.config, *model.weights, *backend_),
      preparer_(model.config.input, *backend_),
      kept_pictures_(backend_->Allocate(2 * input_size() * sizeof(float))),
      last_picture_(reinterpret_cast<float*>(kept_pictures_->data())),
      next_last_picture_(last_picture_ + input_size()) {
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
  width_over_height_ = 1.0;
}

void NetworkEstimator::AddFrames(std::span<const float* const> pictures) {
  if (pictures.empty()) return;
  images_.clear();
  encoded_.clear();
  const float* previous = frames_ == 0 ? pictures.front() : last_picture_;
  for (const float* picture : pictures) {
    encoded_.push_back(&TokensOf(frames_ + std::ssize(images_)));
    images_.push_back({previous, picture});
    previous = picture;
  }
  // Ahead of the encoder, which waits for its uploads and so for this one, but not for its results.
  backend_->Enter(Lane::kEncode);
  backend_->UploadPictures({{pictures.back()}}, input_size(), next_last_picture_);
  network_.Encode(images_, encoded_);
  std::swap(last_picture_, next_last_picture_);
  frames_ += std::ssize(pictures);
}

void NetworkEstimator::BeginEstimate(std::span<const int64_t> first_frames) {
  network_.SetAspect(width_over_height_);
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

float* NetworkEstimator::PictureMemory(size_t count) {
  if (count > pictures_capacity_) {
    pictures_.reset();
    pictures_ = backend_->Allocate(count * input_size() * sizeof(float));
    pictures_capacity_ = count;
  }
  return reinterpret_cast<float*>(pictures_->data());
}

std::unique_ptr<Buffer> NetworkEstimator::AllocateHostPictures(size_t count) {
  return backend_->AllocateHost(count * input_size() * sizeof(float));
}

}  // namespace calfvo
