// SPDX-License-Identifier: Apache-2.0
// Frames of any input that calfvo reads.
//
//   calfvo::FrameReader reader("holiday.mp4", {.stride = 2});
//   calfvo::Frame frame;
//   while (reader.Next(frame)) Use(frame.view(), frame.timestamp_ns);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calfvo/error.h"
#include "calfvo/image.h"

namespace calfvo {

// One image of a video.
struct Frame {
  int64_t index = 0;         // in the source, from 0, before any stride
  int64_t timestamp_ns = 0;  // as the source gives it; after the one of the frame before
  int width = 0;
  int height = 0;
  double pixel_aspect = 1.0;      // a pixel's width over its height, when displayed; 1 / 16 to 16
  std::vector<uint8_t> rgb = {};  // [height, width, 3], rows from the top, sRGB as displayed

  // Why the image is not what the camera saw: a packet that could not be decoded, a file that is not an
  // image. Empty for a good frame. A damaged frame still has an image: what was decoded of it, else the one
  // before, else grey.
  std::string damage = {};

  // Of the image when displayed.
  double WidthOverHeight() const { return pixel_aspect * width / height; }
  ImageView view() const {
    return {.width = width,
            .height = height,
            .pixels = rgb.data(),
            .stride = ptrdiff_t{3} * width,
            .pixel_aspect = pixel_aspect};
  }
};

// Which frames of an input are used, and when they were taken.
struct FrameOptions {
  // If not 0, replaces the input's timestamps: frame i is at i / frames_per_second, exact for 30000.0 / 1001
  // too. From 1.0 / 3600 to 1000. With 0, images without timestamps are taken at 30 per second.
  double frames_per_second = 0.0;
  int stride = 1;                    // use every stride-th frame
  double start_s = 0.0;              // after the first frame
  std::optional<double> end_s = {};  // after the first frame

  // Set by another thread to end early, even while a camera or a pipe delivers no frames.
  const std::atomic<bool>* stop = nullptr;

  // Throws Error naming the invalid option.
  void Validate() const;
};

// Reads a video file, a folder or glob of images, a camera (/dev/video0, until `stop`) or y4m on standard
// input ("-"); dataset:PATH is not supported (docs/inputs.md). One thread at a time. Throws Error or
// std::bad_alloc. A moved-from object can only be destroyed or assigned to.
class FrameReader {
 public:
  explicit FrameReader(const std::string& input, const FrameOptions& options = {});
  ~FrameReader();
  FrameReader(FrameReader&&) noexcept;
  FrameReader& operator=(FrameReader&&) noexcept;

  // Fills `frame`, reusing its memory, or returns false at the end. Timestamps strictly increase. Throws
  // Error where the input ends for any reason but its natural end; a damaged frame is not an error.
  bool Next(Frame& frame);

  // What is being read, for a log: "1280x720 h264, 29.97 frames/s, 12.3 s".
  std::string description() const;
  // The number of frames that Next will return, if it is known; may be an estimate.
  std::optional<int64_t> frame_count() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace calfvo
