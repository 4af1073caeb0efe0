// SPDX-License-Identifier: Apache-2.0
// Downscaled frames of a video for its page, within a budget.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/image/frame.h"
#include "core/image/resize.h"

namespace calfvo {

// Frames at most kLongSide pixels long as JPEG, with square pixels.
class ThumbnailEncoder {
 public:
  static constexpr int kLongSide = 384;
  static constexpr int kQuality = 72;

  std::string Encode(const Frame& frame);

 private:
  std::optional<ResizePlan> plan_;
  std::optional<Resizer> resizer_;
  std::vector<uint8_t> pixels_;
};

// Keeps every stride-th frame; the stride doubles whenever the budget is used up, so that key frames are
// evenly spread over a video of any length. The same frames give the same bytes. One thread at a time.
class KeyFrames {
 public:
  static constexpr size_t kBudget = 10'000'000;  // bytes of the page

  explicit KeyFrames(size_t budget = kBudget) : budget_(budget) {}

  void Add(const Frame& frame);

  // A JSON object for the page: size, frame numbers and images.
  std::string Json() const;
  size_t size() const { return frames_.size(); }

 private:
  struct KeyFrame {
    uint32_t number;     // in the input
    std::string base64;  // of the JPEG
  };

  size_t budget_;
  ThumbnailEncoder encoder_;
  std::vector<KeyFrame> frames_;
  size_t bytes_ = 0;
  int64_t seen_ = 0;
  int64_t stride_ = 1;
  int width_ = 0;  // of the first, when displayed
  int height_ = 0;
};

}  // namespace calfvo
