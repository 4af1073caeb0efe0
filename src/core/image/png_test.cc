// SPDX-License-Identifier: Apache-2.0
#include "core/image/png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/testing.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

// Pixels by libpng's own reader.
template <typename Pixel>
std::vector<Pixel> Decode(const std::string& bytes, png_uint_32 format, int width, int height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0) << image.message;
  EXPECT_EQ(image.width, static_cast<png_uint_32>(width));
  EXPECT_EQ(image.height, static_cast<png_uint_32>(height));
  EXPECT_EQ(image.format & ~PNG_FORMAT_FLAG_COLORMAP, format);
  image.format = format;
  std::vector<Pixel> pixels(PNG_IMAGE_SIZE(image) / sizeof(Pixel));
  EXPECT_NE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr), 0) << image.message;
  return pixels;
}

std::vector<uint8_t> Pattern(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 37 + i / 251);
  return bytes;
}

TEST(Png, RoundTripsEveryChannelCount) {
  const std::pair<PixelFormat, png_uint_32> cases[] = {{PixelFormat::kGray8, PNG_FORMAT_GRAY},
                                                       {PixelFormat::kRgb8, PNG_FORMAT_RGB},
                                                       {PixelFormat::kRgba8, PNG_FORMAT_RGBA}};
  for (const auto& [pixel_format, format] : cases) {
    const ptrdiff_t row = RowBytes(pixel_format, 31);
    const std::vector<uint8_t> pixels = Pattern(static_cast<size_t>(17 * row));
    const std::string bytes = EncodePng({31, 17, pixel_format, pixels.data(), row});
    EXPECT_EQ(Decode<uint8_t>(bytes, format, 31, 17), pixels) << PixelFormatName(pixel_format);
  }
}

TEST(Png, SkipsPaddingBetweenRows) {
  const std::vector<uint8_t> padded = Pattern(40 * 5);
  const std::vector<uint8_t> read =
      Decode<uint8_t>(EncodePng({10, 5, PixelFormat::kRgb8, padded.data(), 40}), PNG_FORMAT_RGB, 10, 5);
  for (int y = 0; y < 5; ++y)
    EXPECT_TRUE(std::equal(&read[y * 30], &read[y * 30] + 30, &padded[y * 40])) << y;
}

TEST(Png, RoundTrips16Bits) {
  std::vector<uint16_t> pixels(7 * 9);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint16_t>(i * 1039 + 258);
  const TempFolder folder;
  WritePng16(folder.path() / "depth.png", 7, 9, pixels);
  EXPECT_EQ(Decode<uint16_t>(ReadWholeFile(folder.path() / "depth.png"), PNG_FORMAT_LINEAR_Y, 7, 9), pixels);
}

TEST(Png, WritesWhatItEncodes) {
  const TempFolder folder;
  const std::vector<uint8_t> pixels = Pattern(12);
  const ImageView image{2, 2, PixelFormat::kRgb8, pixels.data(), 6};
  WritePng(folder.path() / "a.png", image);
  EXPECT_EQ(ReadWholeFile(folder.path() / "a.png"), EncodePng(image));
  EXPECT_THAT(ErrorFrom([&] { WritePng("/nonexistent-folder/a.png", image); }),
              HasSubstr("/nonexistent-folder"));
}

TEST(Png, NamesWhatIsWrong) {
  const std::vector<uint8_t> pixels = Pattern(12);
  EXPECT_THAT(ErrorFrom([&] { EncodePng({0, 2, PixelFormat::kRgb8, pixels.data(), 6}); }), HasSubstr("0x2"));
  EXPECT_THAT(ErrorFrom([&] { EncodePng({2, 2, PixelFormat::kNv12, pixels.data(), 6}); }), HasSubstr("nv12"));
  EXPECT_THAT(ErrorFrom([&] {
                EncodePng({2, 2, PixelFormat::kRgb8, pixels.data(), 5});
              }),
              HasSubstr("rows of 5 bytes"));
  EXPECT_THAT(ErrorFrom([&] { EncodePng16(2, 2, std::vector<uint16_t>(3)); }), HasSubstr("3 values"));
}

TEST(Png, LibpngErrorsBecomeErrors) {
  // Wider than libpng's own limit of a million; it gives up before it reads a pixel.
  const uint8_t pixel = 0;
  EXPECT_THAT(ErrorFrom([&] {
                EncodePng({2000000, 1, PixelFormat::kGray8, &pixel, 2000000});
              }),
              HasSubstr("cannot encode a PNG of 2000000x1 px: "));
}

}  // namespace
}  // namespace calfvo
