// SPDX-License-Identifier: Apache-2.0
// The network as odometry sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/backends.h"
#include "estimator/picture_preparer.h"
#include "model/network.h"
#include "odometry/window_estimator.h"
#include "weights/model_file.h"

namespace calfvo {

// Encodes each frame once and keeps the tokens of the last frames in a ring, for every window that holds
// them. With `mirror` it looks at every picture in a mirror, too, and says the mean of both opinions, turned
// round again: the network has learnt left and right apart, and its errors differ. They are alike enough for
// the mean to be no surer than either.
class NetworkEstimator : public WindowEstimator {
 public:
  // `model` may go once this is made. `threads` as in ThreadPool. Backends with 8-bit operands are
  // calibrated.
  NetworkEstimator(const ModelFile& model, const BackendKind& kind, int threads, bool mirror = false);

  int window() const override { return network_.config().window; }
  bool has_confidence() const override { return network_.config().head.confidence; }
  StepCorrelation step_correlation() const override {
    const auto& [rotation, translation] = network_.config().head.step_correlation;
    return {rotation, translation};
  }
  // With `mirror`, the picture and its mirror image, one after the other.
  size_t input_size() const override { return static_cast<size_t>(views_) * picture_size(); }
  void Start(int frames_kept) override;
  void SetPictureAspect(double width_over_height) override { width_over_height_ = width_over_height; }
  float* PictureMemory(size_t count) override;
  void PreparePicture(const ImageView& picture, float* out) override;
  // Takes pictures in host memory, too, [3, size, size] and normalised.
  void AddFrames(std::span<const float* const> pictures) override;
  void RepeatFrame() override { AddFrames({{last_picture_}}); }
  void BeginEstimate(std::span<const int64_t> first_frames) override;
  void FinishEstimate(std::span<PairEstimate> estimates) override;

  const Backend& backend() const { return *backend_; }
  // Frames of a video that are worth estimating together.
  int video_batch() const { return backend_->video_batch(); }
  // Host memory for `count` pictures, from which AddFrames is quickest.
  std::unique_ptr<Buffer> AllocateHostPictures(size_t count);
  // For raw outputs, beside any video.
  Network& network() { return network_; }

 private:
  void Calibrate();
  size_t picture_size() const;
  FrameTokens& TokensOf(int64_t frame, int view) {
    const auto kept = std::ssize(ring_) / views_;
    return ring_[static_cast<size_t>(frame % kept * views_ + view)];
  }

  std::unique_ptr<Backend> backend_;
  Network network_;
  int views_ = 1;  // of a picture: itself, and in the mirror
  std::unique_ptr<Buffer> pictures_;
  size_t pictures_capacity_ = 0;
  PicturePreparer preparer_;       // after the memory that it may still be writing
  std::vector<uint8_t> mirrored_;  // PreparePicture's
  std::vector<FrameTokens> ring_;
  int64_t frames_ = 0;
  double width_over_height_ = 1.0;  // of the video's pictures
  // In the backend's memory: what the next frame's encoder sees as the one before, and room for its
  // successor.
  std::unique_ptr<Buffer> kept_pictures_;
  float* last_picture_;
  float* next_last_picture_;
  std::vector<FrameImages> images_;
  std::vector<FrameTokens*> encoded_;
  std::vector<const FrameTokens*> window_tokens_;
  std::vector<float> values_;
};

}  // namespace calfvo
