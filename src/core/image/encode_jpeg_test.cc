// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "calfvo/error.h"
#include "core/image/image_decoder.h"
#include "core/image/jpeg.h"

namespace calfvo {
namespace {

Frame SmoothImage(int width, int height) {
  Frame frame{.width = width, .height = height};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      frame.rgb.push_back(static_cast<uint8_t>(40 + 160 * x / width));
      frame.rgb.push_back(static_cast<uint8_t>(60 + 120 * y / height));
      frame.rgb.push_back(static_cast<uint8_t>(90));
    }
  }
  return frame;
}

TEST(EncodeJpeg, ReadsBackNearTheOriginal) {
  for (const auto& [width, height] : {std::pair(64, 48), {17, 3}, {1, 1}}) {
    const Frame image = SmoothImage(width, height);
    Frame decoded;
    DecodeImage(EncodeJpeg(image.view(), 95), decoded);
    ASSERT_EQ(decoded.width, width);
    ASSERT_EQ(decoded.height, height);
    for (size_t i = 0; i < image.rgb.size(); ++i) EXPECT_NEAR(decoded.rgb[i], image.rgb[i], 12) << i;
  }
}

TEST(EncodeJpeg, RowsMayBePaddedAndBytesRepeat) {
  const Frame image = SmoothImage(20, 10);
  ImageView left = image.view();
  left.width = 12;
  Frame decoded;
  DecodeImage(EncodeJpeg(left, 90), decoded);
  EXPECT_EQ(decoded.width, 12);
  EXPECT_EQ(EncodeJpeg(left, 90), EncodeJpeg(left, 90));
  EXPECT_LT(EncodeJpeg(image.view(), 20).size(), EncodeJpeg(image.view(), 95).size());
}

TEST(EncodeJpeg, WrongImagesAreErrors) {
  const uint8_t grey = 0;
  EXPECT_THROW(EncodeJpeg({1, 1, PixelFormat::kGray8, &grey, 1}, 80), Error);
  EXPECT_THROW(EncodeJpeg({0, 1, PixelFormat::kRgb8, &grey, 3}, 80), Error);
  EXPECT_THROW(EncodeJpeg({kMaxImageSide + 1, 1, PixelFormat::kRgb8, &grey, 3}, 80), Error);
}

}  // namespace
}  // namespace calfvo
