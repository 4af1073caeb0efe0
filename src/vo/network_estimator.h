// SPDX-License-Identifier: Apache-2.0
// The network behind WindowEstimator.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nn/architecture/model_file.h"
#include "nn/backend/backends.h"
#include "nn/model/network.h"
#include "vo/image_preparer.h"
#include "vo/shared_network.h"
#include "vo/window_estimator.h"

namespace calfvo {

// Encodes each frame once and keeps the tokens of the last frames in a ring for every window that holds them.
// With `flip`, horizontal-flip test-time augmentation, it also encodes the flipped image and averages both
// estimates of each relative pose. Their errors are correlated, so the average keeps the mean log-variance.
// Estimators that share a network take turns on it and may run in different threads.
class NetworkEstimator : public WindowEstimator {
 public:
  // With a network of its own, as SharedNetwork makes it.
  NetworkEstimator(const ModelFile& model, const BackendKind& kind, int threads, bool flip = false);
  // Shares the network with others that may outlive this one.
  explicit NetworkEstimator(std::shared_ptr<SharedNetwork> network, bool flip = false);
  ~NetworkEstimator() override;

  int window() const override { return config().window; }
  bool has_confidence() const override { return config().head.confidence; }
  EdgeCorrelation step_correlation() const override {
    const auto& [rotation, translation] = config().head.step_correlation;
    return {rotation, translation};
  }
  // With `flip`, the image followed by its flipped copy.
  size_t input_size() const override { return static_cast<size_t>(views_) * image_size(); }
  void Start(int frames_kept) override;
  void SetImageAspect(double width_over_height) override { width_over_height_ = width_over_height; }
  float* ImageMemory(size_t count) override;
  void PrepareImage(const ImageView& image, float* out) override;
  // Images may also be in host memory: [3, size, size], normalised.
  void AddFrames(std::span<const float* const> images) override;
  void RepeatFrame() override { AddFrames({{last_image_}}); }
  void RemoveRepeats(int count) override { frames_ -= count; }
  void BeginEstimate(std::span<const int64_t> first_frames) override;
  void FinishEstimate(std::span<PairEstimate> estimates) override;

  const Backend& backend() const { return *shared_->backend; }
  // The batch size of frames that is fastest on this backend.
  int video_batch() const { return backend().video_batch(); }
  // Host memory for `count` images from which AddFrames uploads fastest.
  std::unique_ptr<Buffer> AllocateHostImages(size_t count);
  // For raw outputs.
  Network& network() { return shared_->network; }

 private:
  const ModelConfig& config() const { return shared_->network.config(); }
  // Lists what the encoder reads and writes for these images, for one view.
  void ListEncoderInputs(std::span<const float* const> images, int view);
  size_t image_size() const;
  FrameTokens& TokensOf(int64_t frame, int view) {
    const auto kept = std::ssize(ring_) / views_;
    return ring_[static_cast<size_t>(frame % kept * views_ + view)];
  }

  const std::shared_ptr<SharedNetwork> shared_;  // by estimators of several videos
  const int views_;                              // of an image: itself and, with flip, its flipped copy
  std::unique_ptr<Buffer> images_;
  size_t images_capacity_ = 0;
  ImagePreparer preparer_;              // after the memory that it may still be writing
  std::vector<uint8_t> rgb_, flipped_;  // PrepareImage's
  std::vector<FrameTokens> ring_;
  int64_t frames_ = 0;
  double width_over_height_ = 1.0;  // of the video's images
  // In the backend's memory: the previous image for the next frame's encoder, and space for its successor.
  std::unique_ptr<Buffer> kept_images_;
  float* last_image_;
  float* next_last_image_;
  std::vector<EncoderInput> encoder_inputs_;
  std::vector<FrameTokens*> encoded_;
  std::vector<const FrameTokens*> window_tokens_;
  std::vector<float> values_;  // of the windows that were begun last
};

}  // namespace calfvo
