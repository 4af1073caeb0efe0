// SPDX-License-Identifier: Apache-2.0
// What views of images must fulfil, and their rows as RGB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calfvo/image.h"

namespace calfvo {

// Larger images, in either direction, are refused: width × height × 3 bytes must stay a sane amount.
inline constexpr int kMaxImageSide = 16384;

// The most that a pixel may be wider than high, or higher than wide.
constexpr double kMaxPixelAspect = 16.0;

constexpr bool IsPixelAspect(double width_over_height) {
  return width_over_height >= 1.0 / kMaxPixelAspect && width_over_height <= kMaxPixelAspect;
}

// Bytes that a row's pixels take; of Y for kNv12, whose rows of U, V take as many, rounded up to an even
// number.
ptrdiff_t RowBytes(PixelFormat format, int width);

// `image` with its strides and planes filled in, as the rest of the library takes views. Throws Error naming
// the field that is wrong.
ImageView CheckedImage(const ImageView& image);

// Writes row `y` of a checked image to `rgb` [width, 3].
void ConvertRow(const ImageView& image, int y, uint8_t* rgb);

// `image`, checked, as RGB: itself, or converted into `rgb`, which grows as needed.
ImageView AsRgb(const ImageView& image, std::vector<uint8_t>& rgb);

}  // namespace calfvo
