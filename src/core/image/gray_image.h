// SPDX-License-Identifier: Apache-2.0
// Grey images for tracking.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/image/image_view.h"

namespace calfvo {

// 8 bits per pixel, rows from the top without padding.
struct GrayImage {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> pixels = {};  // [height, width]
};

// Converts RGB images to grey ones of square pixels whose longer side has at most `max_side` pixels. Luma has
// the weights of ITU-R BT.601. Not thread-safe; reuses its memory.
class GrayConverter {
 public:
  explicit GrayConverter(int max_side);
  ~GrayConverter();
  GrayConverter(GrayConverter&&) noexcept;
  GrayConverter& operator=(GrayConverter&&) noexcept;

  // `image` is RGB; `pixel_aspect` is a pixel's width over its height.
  GrayImage Run(const ImageView& image, double pixel_aspect);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace calfvo
