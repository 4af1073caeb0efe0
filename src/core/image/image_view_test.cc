// SPDX-License-Identifier: Apache-2.0
#include "core/image/image_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<uint8_t> Noise(size_t count) {
  std::mt19937 engine(7);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(engine());
  return bytes;
}

std::vector<uint8_t> ToRgb(const ImageView& image) {
  std::vector<uint8_t> rgb;
  const ImageView view = AsRgb(CheckedImage(image), rgb);
  std::vector<uint8_t> packed;
  for (int y = 0; y < view.height; ++y) {
    packed.insert(packed.end(), view.pixels + y * view.stride,
                  view.pixels + y * view.stride + 3 * view.width);
  }
  return packed;
}

// The definition, in doubles.
std::vector<double> Bt601(double y, double u, double v) {
  const double luma = (y - 16) / 219;
  const double blue = (u - 128) / 224, red = (v - 128) / 224;
  const double rgb[] = {luma + 1.402 * red, luma - 0.344136 * blue - 0.714136 * red, luma + 1.772 * blue};
  std::vector<double> bytes;
  for (const double value : rgb) bytes.push_back(std::clamp(value * 255, 0.0, 255.0));
  return bytes;
}

TEST(ImageView, ReordersColours) {
  const std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  EXPECT_THAT(ToRgb({2, 1, PixelFormat::kRgb8, bytes.data()}), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(ToRgb({2, 1, PixelFormat::kBgr8, bytes.data()}), ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(ToRgb({2, 1, PixelFormat::kRgba8, bytes.data()}), ElementsAre(1, 2, 3, 5, 6, 7));
  EXPECT_THAT(ToRgb({2, 1, PixelFormat::kBgra8, bytes.data()}), ElementsAre(3, 2, 1, 7, 6, 5));
  EXPECT_THAT(ToRgb({2, 1, PixelFormat::kGray8, bytes.data()}), ElementsAre(1, 1, 1, 2, 2, 2));
  EXPECT_THAT(ToRgb({1, 2, PixelFormat::kBgr8, bytes.data(), 8}), ElementsAre(3, 2, 1, 11, 10, 9));
}

TEST(ImageView, RoundsSixteenBitsToTheNearestByte) {
  for (int value = 0; value < 65536; ++value) {
    uint8_t bytes[2];
    const auto pixel = static_cast<uint16_t>(value);
    std::memcpy(bytes, &pixel, 2);
    uint8_t rgb[3];
    ConvertRow(CheckedImage({1, 1, PixelFormat::kGray16, bytes}), 0, rgb);
    ASSERT_EQ(rgb[0], std::lround(value / 257.0)) << value;
    ASSERT_EQ(rgb[2], rgb[0]);
  }
}

TEST(ImageView, ConvertsYuvAsBt601DefinesIt) {
  constexpr int kWidth = 7, kHeight = 5;  // odd: the last pair and the last rows of colour are shared less
  const std::vector<uint8_t> yuyv = Noise(16 * kHeight);
  const std::vector<uint8_t> from_yuyv = ToRgb({kWidth, kHeight, PixelFormat::kYuyv, yuyv.data()});
  const std::vector<uint8_t> nv12 = Noise(9 * kHeight + 8 * 3);
  const std::vector<uint8_t> from_nv12 = ToRgb({.width = kWidth,
                                                .height = kHeight,
                                                .format = PixelFormat::kNv12,
                                                .pixels = nv12.data(),
                                                .stride = 9,
                                                .chroma = nv12.data() + 9 * kHeight,
                                                .chroma_stride = 8});
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const uint8_t* pair = &yuyv[static_cast<size_t>(16 * y + x / 2 * 4)];
      const auto expected_yuyv = Bt601(x % 2 == 0 ? pair[0] : pair[2], pair[1], pair[3]);
      const uint8_t* chroma = &nv12[static_cast<size_t>(9 * kHeight + y / 2 * 8 + x / 2 * 2)];
      const auto expected_nv12 = Bt601(nv12[static_cast<size_t>(9 * y + x)], chroma[0], chroma[1]);
      for (size_t c = 0; c < 3; ++c) {
        const size_t at = static_cast<size_t>(y * kWidth + x) * 3 + c;
        EXPECT_NEAR(from_yuyv[at], expected_yuyv[c], 0.6);
        EXPECT_NEAR(from_nv12[at], expected_nv12[c], 0.6);
      }
    }
  }
}

TEST(ImageView, FindsThePlaneOfColourBehindThatOfLuma) {
  const std::vector<uint8_t> bytes = {16, 16, 16, 16, 128, 255};
  EXPECT_THAT(ToRgb({2, 2, PixelFormat::kNv12, bytes.data()}),
              ElementsAre(203, 0, 0, 203, 0, 0, 203, 0, 0, 203, 0, 0));
}

TEST(ImageView, NamesTheFieldThatIsWrong) {
  const uint8_t byte = 0;
  const auto error = [](const ImageView& image) { return ErrorFrom([&] { CheckedImage(image); }); };
  EXPECT_THAT(error({0, 4, PixelFormat::kRgb8, &byte}),
              HasSubstr("width x height is 0x4; sides of 1 to 16384"));
  EXPECT_THAT(error({4, 16385, PixelFormat::kRgb8, &byte}), HasSubstr("4x16385"));
  EXPECT_EQ(error({4, 4}), "image: pixels is null, for 4x4");
  EXPECT_EQ(error({4, 4, PixelFormat::kRgb8, &byte, 11}),
            "image: stride is 11; rows of 4 rgb8 pixels need 12 bytes or more");
  EXPECT_EQ(error({3, 4, PixelFormat::kYuyv, &byte, 7}),
            "image: stride is 7; rows of 3 yuyv pixels need 8 bytes or more");
  EXPECT_THAT(error({4, 4, PixelFormat::kRgb8, &byte, -12}), HasSubstr("stride is -12"));
  EXPECT_EQ(error({3, 4, PixelFormat::kNv12, &byte, 3, nullptr, 3}),
            "image: chroma_stride is 3; rows of 3 nv12 pixels need 4 bytes or more");
  EXPECT_THAT(error({4, 4, static_cast<PixelFormat>(99), &byte}),
              HasSubstr("format 99 is not a PixelFormat"));
  for (const double aspect : {0.0, -1.0, 0.06, 16.1, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT(error({.width = 4, .height = 3, .pixels = &byte, .pixel_aspect = aspect}),
                HasSubstr("1 / 16 to 16 expected"));
  }
}

TEST(ImageView, FormatsHaveNames) {
  for (const char* name : {"rgb8", "bgr8", "rgba8", "bgra8", "gray8", "gray16", "yuyv", "nv12"}) {
    EXPECT_EQ(PixelFormatName(PixelFormatFromName(name)), name);
  }
  EXPECT_EQ(
      ErrorFrom([] { PixelFormatFromName("rgb"); }),
      "unknown pixel format 'rgb'; expected one of rgb8, bgr8, rgba8, bgra8, gray8, gray16, yuyv, nv12");
}

}  // namespace
}  // namespace calfvo
