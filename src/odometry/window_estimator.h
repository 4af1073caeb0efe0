// SPDX-License-Identifier: Apache-2.0
// What odometry needs of a network: opinions about the K frames of a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "geometry/pair_estimate.h"

namespace calfvo {

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

  // For each f of `first_frames`, the K − 1 estimates of the window f … f + K − 1, window after window. What
  // is said of a window does not depend on the others.
  virtual void Estimate(std::span<const int64_t> first_frames, std::span<PairEstimate> estimates) = 0;
};

}  // namespace calfvo
