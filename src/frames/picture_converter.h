// SPDX-License-Identifier: Apache-2.0
// Decoded pictures of any format to RGB as displayed. Included by sources that use FFmpeg only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "frames/ffmpeg_handles.h"
#include "frames/frame.h"

namespace calfvo {

// How a picture is turned for display: transposed (if so, first), then mirrored.
struct Orientation {
  bool transposes = false;
  bool mirrors_x = false;
  bool mirrors_y = false;

  bool operator==(const Orientation&) const = default;
};

// From FFmpeg's 3×3 display matrix; angles between the multiples of 90° go to the nearest.
Orientation OrientationFromMatrix(const int32_t* matrix);

// Keeps its tables for the last size and format, so a change in mid-stream costs only time. Colours follow
// the frame's matrix and range; where it does not say, BT.709 from 720 rows on, else BT.601, and limited
// range. Transfer curves (HDR) and primaries stay as they are; alpha is dropped. Not thread-safe.
class PictureConverter {
 public:
  // `name` stands for the input in messages; `orientation` is for frames that bring none of their own.
  PictureConverter(std::string name, Orientation orientation)
      : name_(std::move(name)), orientation_(orientation) {}

  // Fills size, pixel aspect and picture of `to`. An aspect that is not known, or absurd, counts as square.
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
