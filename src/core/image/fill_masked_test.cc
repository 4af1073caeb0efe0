// SPDX-License-Identifier: Apache-2.0
#include "core/image/fill_masked.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

namespace calfvo {
namespace {

struct Image {
  Image(int columns, int rows) : width(columns), height(rows), rgb(Count() * 3), mask(Count(), 255) {}
  size_t Count() const { return static_cast<size_t>(width) * static_cast<size_t>(height); }
  void Fill() { FillMasked(width, height, mask, rgb); }

  int width;
  int height;
  std::vector<uint8_t> rgb;
  std::vector<uint8_t> mask;
};

// A ramp solves Laplace's equation, so it is what a smooth surface through its border is. The disc is
// painted.
Image Ramp(int width, int height, double radius) {
  Image image(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const size_t at = static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
      image.rgb[3 * at] = static_cast<uint8_t>(200 * x / width);
      image.rgb[3 * at + 1] = static_cast<uint8_t>(200 * y / height);
      image.rgb[3 * at + 2] = static_cast<uint8_t>(100 * x / width + 100 * y / height);
      if (std::hypot(x - 0.4 * width, y - 0.5 * height) < radius) image.mask[at] = 0;
    }
  }
  return image;
}

TEST(FillMasked, FindsARampBehindADisc) {
  for (const auto& [width, height] : {std::pair(64, 48), std::pair(333, 250), std::pair(1280, 720)}) {
    const Image truth = Ramp(width, height, 0.3 * height);
    Image image = truth;
    for (size_t i = 0; i < image.Count(); ++i) {
      for (size_t c = 0; c < 3 && image.mask[i] == 0; ++c) image.rgb[3 * i + c] = i % 2 == 0 ? 255 : 0;
    }
    image.Fill();
    int hidden = 0;
    for (size_t i = 0; i < image.Count(); ++i) {
      hidden += image.mask[i] == 0 ? 1 : 0;
      for (size_t c = 0; c < 3; ++c) {
        const int off = std::abs(image.rgb[3 * i + c] - truth.rgb[3 * i + c]);
        EXPECT_LE(off, image.mask[i] == 0 ? 4 : 0) << width << ": " << i;
      }
    }
    EXPECT_GT(hidden, 0.2 * height * height);
  }
}

TEST(FillMasked, LeavesWhatIsSeenAndWhatIsHiddenAsAWhole) {
  Image image = Ramp(40, 30, 0.0);
  const std::vector<uint8_t> before = image.rgb;
  image.Fill();
  EXPECT_EQ(image.rgb, before);
  std::fill(image.mask.begin(), image.mask.end(), 0);
  image.Fill();
  EXPECT_EQ(image.rgb, before);
}

TEST(FillMasked, TakesTheOnlyPixelThatIsSeen) {
  Image image(501, 3);
  std::fill(image.mask.begin(), image.mask.end(), 0);
  image.mask[7] = 255;
  for (const size_t c : {0U, 1U, 2U}) image.rgb[3 * 7 + c] = static_cast<uint8_t>(50 + c);
  image.Fill();
  for (size_t i = 0; i < image.rgb.size(); ++i) EXPECT_EQ(image.rgb[i], 50 + i % 3);
}

}  // namespace
}  // namespace calfvo
