// SPDX-License-Identifier: Apache-2.0
// Small images and their pixels. Included by tests only.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "core/image/frame.h"

namespace calfvo {

// A PPM of one colour.
inline std::string FlatPpm(int width, int height, const std::vector<int>& rgb) {
  std::string ppm = "P6\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n";
  for (int i = 0; i < width * height; ++i) {
    for (const int value : rgb) ppm.push_back(static_cast<char>(value));
  }
  return ppm;
}

inline std::vector<int> Pixel(const Frame& frame, int x, int y) {
  const uint8_t* at = frame.rgb.data() + (static_cast<ptrdiff_t>(y) * frame.width + x) * 3;
  return {at[0], at[1], at[2]};
}

// Whether a pixel is within `tolerance` of a colour.
inline testing::AssertionResult IsNear(const std::vector<int>& pixel, const std::vector<int>& colour,
                                       int tolerance) {
  for (size_t c = 0; c < 3; ++c) {
    if (std::abs(pixel[c] - colour[c]) > tolerance) {
      return testing::AssertionFailure()
             << testing::PrintToString(pixel) << " is not near " << testing::PrintToString(colour);
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace calfvo
