// SPDX-License-Identifier: Apache-2.0
// Masks: the regions of images that are to be ignored, such as a car's bonnet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/video/frame_source.h"

namespace calfvo {

// One mask for all frames (an image), or one per frame of the input (a folder of images or a video). Frames
// are asked for in increasing order of their index in the input. One thread at a time.
class MaskSource {
 public:
  // `input` is an image, or what OpenFrames takes. Throws Error if it cannot be read.
  explicit MaskSource(const std::string& input);

  // Fills `mask` with width × height bytes, row by row: 0 where the frame is to be ignored, else 255. A mask
  // of another size is resized by the nearest pixel. A pixel is ignored where red, green and blue are all
  // below 128. Throws Error for a frame without a mask, and for a damaged one.
  void Read(int64_t frame_index, int width, int height, std::vector<uint8_t>* mask);

  // Whether more than `count` masks follow the one read last. Nothing can be read afterwards.
  bool HasMoreAfter(int64_t count);

 private:
  const std::string input_;
  bool is_single_ = false;
  std::unique_ptr<FrameSource> source_;
  Frame frame_;
  int64_t index_ = -1;  // of frame_
};

}  // namespace calfvo
