// SPDX-License-Identifier: Apache-2.0
#include "vo/network_estimator.h"

#include <algorithm>
#include <utility>

#include "vo/edge_fusion.h"

namespace calfvo {
namespace {

// `rgb` with left and right exchanged, in `pixels`.
ImageView FlipImage(const ImageView& rgb, std::vector<uint8_t>& pixels) {
  const ptrdiff_t row = RowBytes(PixelFormat::kRgb8, rgb.width);
  pixels.resize(static_cast<size_t>(row * rgb.height));
  uint8_t* to = pixels.data();
  for (int y = 0; y < rgb.height; ++y) {
    const uint8_t* from = rgb.pixels + y * rgb.stride + row;
    for (int x = 0; x < rgb.width; ++x, to += 3) {
      from -= 3;
      std::copy_n(from, 3, to);
    }
  }
  return {rgb.width, rgb.height, PixelFormat::kRgb8, pixels.data(), row};
}

// The motion that the flipped images show as `estimate`.
PairEstimate FlipMotion(PairEstimate estimate) {
  Rigid3& motion = estimate.first_from_second;
  motion.rotation.y() *= -1.0;
  motion.rotation.z() *= -1.0;
  motion.translation.x() *= -1.0;
  return estimate;
}

// Fused by confidence, like estimates of overlapping windows, with the mean of both log-variances.
PairEstimate MeanOf(const PairEstimate& a, const PairEstimate& b) {
  return {FuseEdge({{a, b}}).first_from_second, (a.u_rotation + b.u_rotation) / 2.0,
          (a.u_translation + b.u_translation) / 2.0};
}

}  // namespace

NetworkEstimator::NetworkEstimator(const ModelFile& model, const BackendKind& kind, int threads, bool flip)
    : NetworkEstimator(std::make_shared<SharedNetwork>(model, kind, threads), flip) {}

NetworkEstimator::NetworkEstimator(std::shared_ptr<SharedNetwork> network, bool flip)
    : shared_(std::move(network)), views_(flip ? 2 : 1), preparer_(config().input, *shared_->backend) {
  const std::lock_guard lock(shared_->mutex);
  kept_images_ = shared_->backend->Allocate(2 * input_size() * sizeof(float));
  last_image_ = reinterpret_cast<float*>(kept_images_->data());
  next_last_image_ = last_image_ + input_size();
}

NetworkEstimator::~NetworkEstimator() {
  const std::lock_guard lock(shared_->mutex);
  shared_->Abandon(values_);
}

size_t NetworkEstimator::image_size() const {
  const auto side = static_cast<size_t>(config().input.size);
  return 3 * side * side;
}

void NetworkEstimator::Start(int frames_kept) {
  const std::lock_guard lock(shared_->mutex);
  shared_->Abandon(values_);
  while (std::ssize(ring_) < frames_kept * views_) ring_.push_back(shared_->network.MakeTokens());
  frames_ = 0;
  width_over_height_ = 1.0;
}

void NetworkEstimator::ListEncoderInputs(std::span<const float* const> images, int view) {
  const size_t offset = static_cast<size_t>(view) * image_size();
  const float* previous = (frames_ == 0 ? images.front() : last_image_) + offset;
  int64_t frame = frames_;
  for (const float* image : images) {
    encoder_inputs_.push_back({previous, image + offset});
    encoded_.push_back(&TokensOf(frame++, view));
    previous = image + offset;
  }
}

void NetworkEstimator::AddFrames(std::span<const float* const> images) {
  if (images.empty()) return;
  encoder_inputs_.clear();
  encoded_.clear();
  for (int view = 0; view < views_; ++view) ListEncoderInputs(images, view);
  const std::lock_guard lock(shared_->mutex);
  // Before the encoder: it waits for uploads, this one included, but not for results.
  shared_->backend->Enter(Lane::kEncode);
  shared_->backend->UploadImages({{images.back()}}, input_size(), next_last_image_);
  shared_->network.Encode(encoder_inputs_, encoded_);
  std::swap(last_image_, next_last_image_);
  frames_ += std::ssize(images);
}

void NetworkEstimator::BeginEstimate(std::span<const int64_t> first_frames) {
  const std::lock_guard lock(shared_->mutex);
  shared_->Collect();
  Network& network = shared_->network;
  network.SetAspect(width_over_height_);
  window_tokens_.clear();
  for (int view = 0; view < views_; ++view) {
    for (const int64_t first : first_frames) {
      for (int i = 0; i < window(); ++i) window_tokens_.push_back(&TokensOf(first + i, view));
    }
  }
  const size_t windows = first_frames.size() * static_cast<size_t>(views_);
  values_.resize(windows * static_cast<size_t>(network.values_per_window()));
  network.BeginDecode(window_tokens_);
  shared_->Expect(values_);
}

void NetworkEstimator::FinishEstimate(std::span<PairEstimate> estimates) {
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->Expects(values_)) shared_->Collect();
  }
  const std::vector<PairEstimate> interpreted = shared_->network.Interpret(values_);
  const size_t count = interpreted.size() / static_cast<size_t>(views_);
  for (size_t i = 0; i < count; ++i) {
    estimates[i] = views_ == 1 ? interpreted[i] : MeanOf(interpreted[i], FlipMotion(interpreted[count + i]));
  }
}

void NetworkEstimator::PrepareImage(const ImageView& image, float* out) {
  if (views_ == 1) return preparer_.Run(image, out);
  const ImageView rgb = AsRgb(image, rgb_);
  preparer_.Run(rgb, out);
  preparer_.Run(FlipImage(rgb, flipped_), out + image_size());
}

float* NetworkEstimator::ImageMemory(size_t count) {
  if (count > images_capacity_) {
    const std::lock_guard lock(shared_->mutex);
    images_.reset();
    images_ = shared_->backend->Allocate(count * input_size() * sizeof(float));
    images_capacity_ = count;
  }
  return reinterpret_cast<float*>(images_->data());
}

std::unique_ptr<Buffer> NetworkEstimator::AllocateHostImages(size_t count) {
  return shared_->backend->AllocateHost(count * input_size() * sizeof(float));
}

}  // namespace calfvo
