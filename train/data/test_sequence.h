// SPDX-License-Identifier: Apache-2.0
// A sequence in memory. Included by *_test.cc files only.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "core/geometry/so3.h"
#include "io/datasets/sequence.h"

namespace calfvo::train {

// A camera that goes forward by 0.25 m and turns by 0.02 rad a frame. Images are of one colour, (index,
// tint, 7), so that a window identifies its frames.
class TestSequence : public Sequence {
 public:
  TestSequence(std::string name, int frames, uint8_t tint = 0) : name_(std::move(name)), tint_(tint) {
    Rigid3 pose;
    for (int i = 0; i < frames; ++i) {
      frames_.push_back({int64_t{i} * 100'000'000, pose, name_ + " " + std::to_string(i)});
      pose = pose * Rigid3{ExpSO3({0.0, 0.02, 0.0}), {0.0, 0.0, 0.25}};
    }
  }

  const std::string& name() const override { return name_; }
  const std::vector<SequenceFrame>& frames() const override { return frames_; }
  void Read(int64_t index, Frame& image) const override {
    ++reads_;
    if (index == broken_) throw Error(name_ + ": frame " + std::to_string(index) + " cannot be decoded");
    image.width = width_;
    image.height = height_;
    image.rgb.resize(static_cast<size_t>(3 * width_ * height_));
    for (size_t i = 0; i < image.rgb.size(); i += 3) {
      image.rgb[i] = static_cast<uint8_t>(index);
      image.rgb[i + 1] = tint_;
      image.rgb[i + 2] = 7;
    }
  }

  std::vector<SequenceFrame>& frames() { return frames_; }
  void SetShape(int width, int height) {
    width_ = width;
    height_ = height;
  }
  void BreakFrame(int64_t index) { broken_ = index; }
  int reads() const { return reads_; }

 private:
  const std::string name_;
  const uint8_t tint_;
  std::vector<SequenceFrame> frames_;
  int width_ = 40;
  int height_ = 30;
  int64_t broken_ = -1;
  mutable std::atomic<int> reads_ = 0;
};

}  // namespace calfvo::train
