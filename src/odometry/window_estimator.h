// SPDX-License-Identifier: Apache-2.0
// What odometry needs of a network: opinions about the K frames of a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "geometry/pair_estimate.h"

namespace calfvo {

using PictureMemory = std::unique_ptr<float[], std::function<void(float*)>>;

// Frames are numbered from 0 in the order in which they are added. One thread at a time.
class WindowEstimator {
 public:
  virtual ~WindowEstimator() = default;

  virtual int window() const = 0;           // K, at least 2
  virtual bool has_confidence() const = 0;  // false: every u is 0 and means nothing
  virtual size_t input_size() const = 0;    // floats of one prepared picture

  // Begins a new video. Of its frames the last `frames_kept` stay available to Estimate.
  virtual void Start(int frames_kept) = 0;

  // Takes in the next frames, pictures of input_size() floats that are borrowed for the call. What is made of
  // a frame does not depend on how frames are split over calls.
  virtual void AddFrames(std::span<const float* const> pictures) = 0;

  // Begins with the windows f … f + K − 1 for each f of `first_frames`. FinishEstimate waits for their K − 1
  // estimates each, window after window; before it, AddFrames may be called, so that a device has work in
  // between, but not for more frames than leave those of the windows among the frames kept. What is said of a
  // window does not depend on the others.
  virtual void BeginEstimate(std::span<const int64_t> first_frames) = 0;
  virtual void FinishEstimate(std::span<PairEstimate> estimates) = 0;

  // Memory for `count` pictures, one after the other, from which AddFrames is quickest.
  virtual PictureMemory AllocatePictures(size_t count) {
    const size_t values = count * input_size();
    return {new float[values], [](const float* memory) { delete[] memory; }};
  }
};

}  // namespace calfvo
