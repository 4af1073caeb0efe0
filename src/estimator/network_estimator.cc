// SPDX-License-Identifier: Apache-2.0
#include "estimator/network_estimator.h"

#include <algorithm>
#include <utility>

#include "estimator/calibration_pictures.h"
#include "odometry/edge_fusion.h"

namespace calfvo {
namespace {

// `picture` as a mirror shows it, in `pixels`.
ImageView MirrorImage(const ImageView& picture, std::vector<uint8_t>& pixels) {
  const ptrdiff_t row = ptrdiff_t{picture.width} * picture.channels;
  pixels.resize(static_cast<size_t>(row * picture.height));
  uint8_t* to = pixels.data();
  for (int y = 0; y < picture.height; ++y) {
    const uint8_t* from = picture.pixels + y * picture.stride + row;
    for (int x = 0; x < picture.width; ++x, to += picture.channels) {
      from -= picture.channels;
      std::copy_n(from, picture.channels, to);
    }
  }
  return {picture.width, picture.height, picture.channels, pixels.data(), row};
}

// The motion whose mirror image `estimate` is.
PairEstimate MirrorImage(PairEstimate estimate) {
  Rigid3& motion = estimate.first_from_second;
  motion.rotation.y() *= -1.0;
  motion.rotation.z() *= -1.0;
  motion.translation.x() *= -1.0;
  return estimate;
}

// Fused by confidence, like the opinions of windows, and as sure as they are in the mean.
PairEstimate MeanOf(const PairEstimate& a, const PairEstimate& b) {
  return {FuseEdge({{a, b}}).first_from_second, (a.u_rotation + b.u_rotation) / 2.0,
          (a.u_translation + b.u_translation) / 2.0};
}

}  // namespace

NetworkEstimator::NetworkEstimator(const ModelFile& model, const BackendKind& kind, int threads, bool mirror)
    : backend_(MakeBackend(kind, threads)),
      network_(model.config, *model.weights, *backend_),
      preparer_(model.config.input, *backend_),
      kept_pictures_(backend_->Allocate((mirror ? 4 : 2) * picture_size() * sizeof(float))),
      last_picture_(reinterpret_cast<float*>(kept_pictures_->data())),
      next_last_picture_(last_picture_ + (mirror ? 2 : 1) * picture_size()) {
  if (backend_->BeginCalibration()) {
    Calibrate();
    backend_->EndCalibration();
  }
  if (mirror) views_ = 2;
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

size_t NetworkEstimator::picture_size() const {
  const auto side = static_cast<size_t>(network_.config().input.size);
  return 3 * side * side;
}

void NetworkEstimator::Start(int frames_kept) {
  while (std::ssize(ring_) < frames_kept * views_) ring_.push_back(network_.MakeTokens());
  frames_ = 0;
  width_over_height_ = 1.0;
}

void NetworkEstimator::AddFrames(std::span<const float* const> pictures) {
  if (pictures.empty()) return;
  images_.clear();
  encoded_.clear();
  for (int view = 0; view < views_; ++view) {
    const size_t offset = static_cast<size_t>(view) * picture_size();
    const float* previous = (frames_ == 0 ? pictures.front() : last_picture_) + offset;
    int64_t frame = frames_;
    for (const float* picture : pictures) {
      encoded_.push_back(&TokensOf(frame++, view));
      images_.push_back({previous, picture + offset});
      previous = picture + offset;
    }
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
  for (int view = 0; view < views_; ++view) {
    for (const int64_t first : first_frames) {
      for (int i = 0; i < window(); ++i) window_tokens_.push_back(&TokensOf(first + i, view));
    }
  }
  const size_t windows = first_frames.size() * static_cast<size_t>(views_);
  values_.resize(windows * static_cast<size_t>(network_.values_per_window()));
  network_.BeginDecode(window_tokens_);
}

void NetworkEstimator::FinishEstimate(std::span<PairEstimate> estimates) {
  network_.FinishDecode(values_);
  const std::vector<PairEstimate> interpreted = network_.Interpret(values_);
  const size_t count = interpreted.size() / static_cast<size_t>(views_);
  for (size_t i = 0; i < count; ++i) {
    estimates[i] = views_ == 1 ? interpreted[i] : MeanOf(interpreted[i], MirrorImage(interpreted[count + i]));
  }
}

void NetworkEstimator::PreparePicture(const ImageView& picture, float* out) {
  preparer_.Run(picture, out);
  if (views_ > 1) preparer_.Run(MirrorImage(picture, mirrored_), out + picture_size());
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
