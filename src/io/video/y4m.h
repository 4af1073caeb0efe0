// SPDX-License-Identifier: Apache-2.0
// The parts of YUV4MPEG2 ("y4m"): its first line, and its images.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/image/frame.h"
#include "io/video/frame_rate.h"

namespace calfvo {

struct Y4mHeader {
  int width = 0;
  int height = 0;
  double pixel_aspect = 1.0;  // width over height
  FrameRate rate;             // 30 where the header has none
  int chroma_shift_x = 1;     // a chroma plane has the width divided by 2^shift, rounded up
  int chroma_shift_y = 1;
  bool has_chroma = true;
  bool full_range = false;

  int ChromaWidth() const { return (width + (1 << chroma_shift_x) - 1) >> chroma_shift_x; }
  int ChromaHeight() const { return (height + (1 << chroma_shift_y) - 1) >> chroma_shift_y; }
  // Bytes of an image: Y, then Cb and Cr.
  size_t ImageSize() const;
};

inline constexpr size_t kMaxY4mHeader = 1024;  // bytes

// `line` without its newline. Throws Error naming `name` and the field for what is not y4m or not supported:
// 8 bits in 4:2:0, 4:2:2, 4:4:4 or grey are, up to 16384 px a side.
Y4mHeader ParseY4mHeader(std::string_view line, const std::string& name);

// Fills size, pixel aspect and image of `frame`. BT.601 to RGB; each chroma sample counts for the whole of
// its block. `planes` has ImageSize() bytes.
void Y4mToRgb(const Y4mHeader& header, std::span<const uint8_t> planes, Frame& frame);

}  // namespace calfvo
