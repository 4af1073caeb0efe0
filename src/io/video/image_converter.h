// SPDX-License-Identifier: Apache-2.0
// Decoded images of any format to RGB as displayed. Included by sources that use FFmpeg only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/image/frame.h"
#include "io/video/ffmpeg_handles.h"

namespace calfvo {

// How an image is turned for display: transposed (if so, first), then flipped.
struct Orientation {
  bool transposes = false;
  bool flips_x = false;
  bool flips_y = false;

  bool operator==(const Orientation&) const = default;
};

// From FFmpeg's 3×3 display matrix; angles between the multiples of 90° go to the nearest.
Orientation OrientationFromMatrix(const int32_t* matrix);

// Keeps its tables for the last size and format, so a change in mid-stream costs only time. Colours follow
// the frame's matrix and range; where it has none, BT.709 from 720 rows on, else BT.601, and limited
// range. Transfer curves (HDR) and primaries stay as they are; alpha is dropped. Not thread-safe.
class ImageConverter {
 public:
  // `name` stands for the input in messages; `orientation` is for frames that bring none of their own.
  ImageConverter(std::string name, Orientation orientation)
      : name_(std::move(name)), orientation_(orientation) {}

  // Fills size, pixel aspect and image of `to`. An aspect that is not known, or absurd, counts as square.
  void Convert(const AVFrame& from, Frame& to);

 private:
  struct Format {
    int width;
    int height;
    int pixels;  // AVPixelFormat
    int matrix;  // AVColorSpace
    bool full_range;

    bool operator==(const Format&) const = default;
  };

  void Prepare(const Format& format);

  const std::string name_;
  const Orientation orientation_;
  Format format_{};
  ffmpeg::Scaler scaler_;
  std::vector<uint8_t> scaled_;  // rows with gaps, before they are turned
};

}  // namespace calfvo
