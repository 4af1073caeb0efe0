// SPDX-License-Identifier: Apache-2.0
// One picture of a video.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/image_view.h"

namespace calfvo {

// The most that a pixel may be wider than high, or higher than wide.
constexpr double kMaxPixelAspect = 16.0;

constexpr bool IsPixelAspect(double width_over_height) {
  return width_over_height >= 1.0 / kMaxPixelAspect && width_over_height <= kMaxPixelAspect;
}

struct Frame {
  int64_t index = 0;         // in the source, from 0, before any stride
  int64_t timestamp_ns = 0;  // as the source gives it; after the one of the frame before
  int width = 0;
  int height = 0;
  double pixel_aspect = 1.0;  // a pixel's width over its height, when displayed; 1 / 16 to 16
  std::vector<uint8_t> rgb;   // [height, width, 3], rows from the top, sRGB as displayed

  // Why the picture is not what the camera saw: a packet that could not be decoded, a file that is no image.
  // Empty for a good frame. A damaged frame still has a picture: what was decoded of it, else the one before,
  // else grey.
  std::string damage;

  // Of the picture when displayed.
  double WidthOverHeight() const { return pixel_aspect * width / height; }
  ImageView view() const { return {width, height, 3, rgb.data(), static_cast<ptrdiff_t>(width) * 3}; }
};

}  // namespace calfvo
