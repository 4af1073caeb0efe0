// SPDX-License-Identifier: Apache-2.0
// What odometry needs of a network: opinions about the K frames of a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/image_view.h"
#include "geometry/covariance.h"
#include "geometry/pair_estimate.h"

namespace calfvo {

// Frames are numbered from 0 in the order in which they are added. One thread at a time, and another one for
// PreparePicture.
class WindowEstimator {
 public:
  virtual ~WindowEstimator() = default;

  virtual int window() const = 0;           // K, at least 2
  virtual bool has_confidence() const = 0;  // false: every u is 0 and means nothing
  virtual size_t input_size() const = 0;    // floats of one prepared picture
  // How much of a fused step's error goes on into the next.
  virtual StepCorrelation step_correlation() const = 0;

  // Begins a new video. Of its frames the last `frames_kept` stay available to BeginEstimate.
  virtual void Start(int frames_kept) = 0;
  // The shape of the video's pictures when displayed (Frame::WidthOverHeight), before its first
  // BeginEstimate. Without this they are taken as square. Where pictures differ, the first one's shape is
  // that of the video.
  virtual void SetPictureAspect(double width_over_height) = 0;

  // The estimator's memory for `count` prepared pictures, one after the other. Maybe on a device: only
  // PreparePicture writes it and only AddFrames reads it. Void after the next call of this.
  virtual float* PictureMemory(size_t count) = 0;
  // Turns an RGB picture of any size into a prepared one, in PictureMemory. A thread of its own may call this
  // beside all the rest, for pictures that AddFrames is not reading.
  virtual void PreparePicture(const ImageView& picture, float* out) = 0;

  // Takes in the next frames, prepared pictures that are borrowed for the call. What is made of a frame does
  // not depend on how frames are split over calls.
  virtual void AddFrames(std::span<const float* const> pictures) = 0;
  // Takes in the last frame once more.
  virtual void RepeatFrame() = 0;

  // Begins with the windows f … f + K − 1 for each f of `first_frames`. FinishEstimate waits for their K − 1
  // estimates each, window after window; before it, AddFrames may be called, so that a device has work in
  // between, but not for more frames than leave those of the windows among the frames kept. What is said of a
  // window does not depend on the others.
  virtual void BeginEstimate(std::span<const int64_t> first_frames) = 0;
  virtual void FinishEstimate(std::span<PairEstimate> estimates) = 0;
};

}  // namespace calfvo
