// SPDX-License-Identifier: Apache-2.0
#include "core/image/image_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>
#include <zlib.h>

#include <numeric>

#include "core/base/testing.h"
#include "core/image/png.h"
#include "core/image/test_images.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

Frame Decoded(std::string_view bytes) {
  Frame frame;
  DecodeImage(bytes, frame);
  return frame;
}

std::string DecodeError(std::string_view bytes) {
  return ErrorFrom([&] { Decoded(bytes); });
}

TEST(DecodePpm, ReadsColourGreyDepthsAndComments) {
  EXPECT_THAT(Decoded("P6\n# made by hand\n1 2 # size\n255\n\x01\x02\x03\xff\xfe\xfd"s).rgb,
              ElementsAre(1, 2, 3, 255, 254, 253));
  EXPECT_THAT(Decoded("P5 2 1 255\n\x07\xc8"s).rgb, ElementsAre(7, 7, 7, 200, 200, 200));
  EXPECT_THAT(Decoded("P5 2 1 15\n\x0f\x05"s).rgb, ElementsAre(255, 255, 255, 85, 85, 85));
  EXPECT_THAT(Decoded("P6 1 1 65535\n\xff\xff\x80\x80\x00\x00"s).rgb, ElementsAre(255, 128, 0));
}

TEST(DecodeImage, MakesSquarePixelsWhateverTheFrameHadBefore) {
  Frame frame{.pixel_aspect = 2.0};
  DecodeImage(FlatPpm(3, 2, {1, 2, 3}), frame);
  EXPECT_EQ(frame.pixel_aspect, 1.0);
  EXPECT_EQ(frame.WidthOverHeight(), 1.5);
}

TEST(DecodePpm, RefusesWhatIsWrong) {
  EXPECT_EQ(DecodeError("P6 2 2 255\n123"), "the PPM ends after 3 of 12 bytes of 2x2 px");
  EXPECT_EQ(DecodeError("P6 2 x 255\n"), "the PPM header is not 'P5 or P6, width, height, highest value'");
  EXPECT_EQ(DecodeError("P5 0 1 255\n"), "is 0x1 px; expected 1 to 16384 a side");
  EXPECT_EQ(DecodeError("P5 16385 1 255\n" + std::string(16385, 'x')),
            "is 16385x1 px; expected 1 to 16384 a side");
  EXPECT_EQ(DecodeError("P5 1 1 70000\nab"), "the PPM header's highest value is 70000; expected 1 to 65535");
  EXPECT_EQ(DecodeError("P5 99999999999 1 255\n"), "a number in the PPM header is over 1000000000");
}

TEST(DecodePng, GivesBackWhatTheEncoderGot) {
  std::vector<uint8_t> pixels(5 * 3 * 4);
  std::iota(pixels.begin(), pixels.end(), uint8_t{100});
  const Frame rgb = Decoded(EncodePng({5, 3, PixelFormat::kRgb8, pixels.data(), 15}));
  EXPECT_EQ(rgb.rgb, std::vector<uint8_t>(pixels.begin(), pixels.begin() + 45));
  const Frame rgba = Decoded(EncodePng({5, 3, PixelFormat::kRgba8, pixels.data(), 20}));
  EXPECT_THAT(Pixel(rgba, 1, 2), ElementsAre(144, 145, 146)) << "alpha is dropped, not multiplied";
  EXPECT_THAT(Pixel(Decoded(EncodePng({5, 3, PixelFormat::kGray8, pixels.data(), 5})), 4, 1),
              ElementsAre(109, 109, 109));
  const std::vector<uint16_t> deep{0, 65535, 0x80ff};
  EXPECT_THAT(Decoded(EncodePng16(3, 1, deep)).rgb, ElementsAre(0, 0, 0, 255, 255, 255, 128, 128, 128));
}

// Through libpng's simplified interface, which is not what DecodePng uses.
TEST(DecodePng, LooksUpPalettes) {
  const TempFolder folder;
  const std::string path = folder.path() / "a.png";
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = 2;
  image.height = 1;
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = 2;
  const uint8_t palette[] = {10, 20, 30, 200, 210, 220};
  const uint8_t pixels[] = {1, 0};
  ASSERT_NE(png_image_write_to_file(&image, path.c_str(), 0, pixels, 2, palette), 0);
  EXPECT_THAT(Decoded(ReadWholeFile(path)).rgb, ElementsAre(200, 210, 220, 10, 20, 30));
}

TEST(DecodePng, RefusesDamage) {
  const std::vector<uint8_t> pixels(64 * 64, 7);
  const std::string good = EncodePng({64, 64, PixelFormat::kGray8, pixels.data(), 64});
  EXPECT_EQ(DecodeError(good.substr(0, good.size() / 2)), "the PNG is damaged: the file ends early");
  std::string flipped = good;
  flipped[good.find("IDAT") + 6] ^= 0x55;
  EXPECT_THAT(DecodeError(flipped), HasSubstr("the PNG is damaged: "));
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(DecodeError(good.substr(0, size)), "no error") << size;
}

// As deflate packs nothing better than one value, nothing is smaller than this.
TEST(DecodePng, ReadsLargeImagesOfAlmostNothing) {
  const std::vector<uint8_t> pixels(4096 * 4096, 0);
  const std::string flat = EncodePng({4096, 4096, PixelFormat::kGray8, pixels.data(), 4096});
  EXPECT_LT(flat.size(), 4096U * 4096 / 900);
  EXPECT_THAT(Pixel(Decoded(flat), 4095, 4095), ElementsAre(0, 0, 0));
}

TEST(DecodePng, RefusesAClaimBeforeMakingRoom) {
  const std::vector<uint8_t> pixels(100 * 100, 7);
  std::string claim = EncodePng({100, 100, PixelFormat::kGray8, pixels.data(), 100});
  const size_t header_at = claim.find("IHDR");
  claim.replace(header_at + 4, 8, "\0\0\x40\0\0\0\x40\0"s);
  const auto* header = reinterpret_cast<const Bytef*>(claim.data() + header_at);
  const uLong checksum = crc32(0, header, 17);
  for (size_t i = 0; i < 4; ++i) claim[header_at + 17 + i] = static_cast<char>(checksum >> (24 - 8 * i));
  Frame frame;
  EXPECT_EQ(ErrorFrom([&] { DecodeImage(claim, frame); }),
            "the PNG is damaged: its " + std::to_string(claim.size()) + " bytes cannot hold 16384x16384 px");
  EXPECT_EQ(frame.rgb.capacity(), 0U);
}

TEST(DecodeImage, QuotesTheFirstBytes) {
  EXPECT_EQ(DecodeError(""), "the file is empty");
  EXPECT_EQ(DecodeError("GIF89a\x01;"),
            "begins with 'GIF89a\\x01;', which is neither PNG, JPEG, PPM (P6) nor PGM (P5)");
}

}  // namespace
}  // namespace calfvo
