// SPDX-License-Identifier: Apache-2.0
// One pixel of a resampled RGB image, in Pillow's fixed-point arithmetic: the same on the host and on the
// GPU.
#pragma once

#include <cstdint>

#include "core/portable/host_device.h"

namespace calfvo::portable {

// A resampled value is (Σ weight · pixel + kResampleHalf) >> kResampleBits, clamped to 0 … 255. Weights are
// below 2 in size and the sum stays within int32.
inline constexpr int kResampleBits = 22;
inline constexpr int32_t kResampleHalf = 1 << (kResampleBits - 1);

// The input pixels that an output pixel is made of, along one axis.
struct ResampleWindow {
  int32_t first = 0;
  int32_t count = 0;
};

// One axis, borrowed. Neither the first nor the last pixel of a window is ever before that of the window
// before.
struct ResampleAxis {
  int size = 0;                             // output pixels
  int taps = 0;                             // at least the largest count
  const ResampleWindow* windows = nullptr;  // [size]
  const int32_t* weights = nullptr;         // [size, taps]
};

struct Rgb8 {
  uint8_t red, green, blue;
};

CALFVO_HD uint8_t RoundResampled(int32_t sum) {
  const int32_t value = (sum + kResampleHalf) >> kResampleBits;
  return static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

// The input pixels that are used at all.
CALFVO_HD ResampleWindow UsedPixels(const ResampleAxis& axis) {
  const ResampleWindow last = axis.windows[axis.size - 1];
  const int32_t first = axis.windows[0].first;
  return {first, last.first + last.count - first};
}

// Output pixel i of an axis whose input pixels are `step` bytes apart, from `pixels` on.
CALFVO_HD Rgb8 ResamplePixel(const ResampleAxis& axis, int i, const uint8_t* pixels, int64_t step) {
  const ResampleWindow window = axis.windows[i];
  const int32_t* weight = axis.weights + int64_t{i} * axis.taps;
  const uint8_t* pixel = pixels + window.first * step;
  int32_t red = 0;
  int32_t green = 0;
  int32_t blue = 0;
  for (int k = 0; k < window.count; ++k, pixel += step) {
    red += weight[k] * pixel[0];
    green += weight[k] * pixel[1];
    blue += weight[k] * pixel[2];
  }
  return {RoundResampled(red), RoundResampled(green), RoundResampled(blue)};
}

}  // namespace calfvo::portable
