// SPDX-License-Identifier: Apache-2.0
// Borrowed pixels, and how many there may be.
#pragma once

#include <cstddef>
#include <cstdint>

namespace calfvo {

// Larger pictures, in either direction, are refused: width × height × 3 bytes must stay a sane amount.
inline constexpr int kMaxImageSide = 16384;

// 8 bits each, row by row from the top: grey (1), RGB (3) or RGBA with straight alpha (4 channels).
struct ImageView {
  int width = 0;
  int height = 0;
  int channels = 0;
  const uint8_t* pixels = nullptr;
  ptrdiff_t stride = 0;  // bytes from one row to the next; at least width × channels
};

}  // namespace calfvo
