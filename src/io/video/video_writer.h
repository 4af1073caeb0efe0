// SPDX-License-Identifier: Apache-2.0
// Images to an H.264 video in an MP4 file, through FFmpeg.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/image/image_view.h"
#include "io/video/frame_rate.h"

namespace calfvo {

struct VideoOptions {
  int width = 0;  // pixels, 1..16384
  int height = 0;
  FrameRate rate;
  // x264's constant rate factor, 0..51: lower is better and larger; 18 looks like the original.
  int quality = 18;

  // Throws Error naming the field and its value.
  void Validate() const;
};

// The first image is shown at time 0, each next one frame interval later. Sizes that are odd, which H.264's
// usual colour format does not know, get a copy of the last row or column. The same images give the same
// bytes. The file appears on Finish, whole or not at all; destroyed before, the writer leaves nothing behind.
// Failures (no such folder, full disk, no encoder) throw Error naming the file. Not thread-safe.
class VideoWriter {
 public:
  // Whether this build has FFmpeg and that an H.264 encoder. If not, the constructor throws.
  static bool IsAvailable();

  VideoWriter(const std::filesystem::path& path, const VideoOptions& options);
  ~VideoWriter();
  VideoWriter(VideoWriter&&) noexcept;
  VideoWriter& operator=(VideoWriter&&) noexcept;

  // An RGB image of the given size.
  void Add(const ImageView& image);
  void Finish();

 private:
  class Encoder;
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace calfvo
