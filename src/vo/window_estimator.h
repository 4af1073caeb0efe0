// SPDX-License-Identifier: Apache-2.0
// The interface between odometry and network: relative poses for the K frames of a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/geometry/covariance.h"
#include "core/geometry/pair_estimate.h"
#include "core/image/image_view.h"

namespace calfvo {

// Frames are numbered from 0 in the order in which they are added. One thread at a time, plus one for
// PrepareImage.
class WindowEstimator {
 public:
  virtual ~WindowEstimator() = default;

  virtual int window() const = 0;           // K, at least 2
  virtual bool has_confidence() const = 0;  // false: every u is 0 and carries no information
  virtual size_t input_size() const = 0;    // floats of one prepared image
  // Correlation of the errors of consecutive fused edges.
  virtual EdgeCorrelation step_correlation() const = 0;

  // Begins a new video. The last `frames_kept` frames stay available to BeginEstimate.
  virtual void Start(int frames_kept) = 0;
  // The aspect ratio of the displayed images (Frame::WidthOverHeight); call before the first BeginEstimate.
  // The default is 1.
  virtual void SetImageAspect(double width_over_height) = 0;

  // The estimator's memory for `count` consecutive prepared images. It may be on a device: only PrepareImage
  // writes it and only AddFrames reads it. Invalid after the next call.
  virtual float* ImageMemory(size_t count) = 0;
  // Converts an image of any size, checked (CheckedImage), to a prepared one in ImageMemory. A second thread
  // may call this concurrently with everything else, for images that AddFrames is not reading.
  virtual void PrepareImage(const ImageView& image, float* out) = 0;

  // Encodes the next frames, given as prepared images that are borrowed for the call. The result does not
  // depend on how frames are split over calls.
  virtual void AddFrames(std::span<const float* const> images) = 0;
  // Adds the last frame again.
  virtual void RepeatFrame() = 0;
  // Takes back the last `count` calls of RepeatFrame.
  virtual void RemoveRepeats(int count) = 0;

  // Starts estimating the windows f … f + K − 1 for each f of `first_frames`. FinishEstimate waits for their
  // K − 1 estimates each, window after window. AddFrames may be called in between to keep a device busy, as
  // long as the frames of these windows stay among those kept. Estimates of a window do not depend on the
  // other windows.
  virtual void BeginEstimate(std::span<const int64_t> first_frames) = 0;
  virtual void FinishEstimate(std::span<PairEstimate> estimates) = 0;
};

}  // namespace calfvo
