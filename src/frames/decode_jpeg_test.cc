// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jpeglib.h>
#include <cstdio>  // jpeglib.h needs it
#include <cstdlib>

#include "frames/image_decoder.h"
#include "frames/test_media.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

std::string FlatJpeg(int width, int height, const std::vector<uint8_t>& colour) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = static_cast<JDIMENSION>(width);
  jpeg.image_height = static_cast<JDIMENSION>(height);
  jpeg.input_components = static_cast<int>(colour.size());
  jpeg.in_color_space = colour.size() == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 95, TRUE);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<uint8_t> row;
  for (int x = 0; x < width; ++x) row.insert(row.end(), colour.begin(), colour.end());
  JSAMPROW rows = row.data();
  for (int y = 0; y < height; ++y) jpeg_write_scanlines(&jpeg, &rows, 1);
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  const std::string result(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return result;
}

TEST(DecodeJpeg, ReadsColourAndGrey) {
  Frame frame;
  DecodeImage(FlatJpeg(17, 9, {200, 100, 50}), frame);
  EXPECT_EQ(frame.width, 17);
  EXPECT_EQ(frame.height, 9);
  EXPECT_TRUE(IsNear(Pixel(frame, 16, 8), {200, 100, 50}, 2));
  DecodeImage(FlatJpeg(1, 1, {77}), frame);
  EXPECT_TRUE(IsNear(Pixel(frame, 0, 0), {77, 77, 77}, 1));
}

TEST(DecodeJpeg, RefusesDamage) {
  const std::string good = FlatJpeg(64, 64, {200, 100, 50});
  Frame frame;
  EXPECT_EQ(ErrorFrom([&] { DecodeImage(good.substr(0, good.size() - 30), frame); }),
            "the JPEG is damaged: Premature end of JPEG file");
  for (size_t size = 0; size + 2 < good.size(); size += 7) {
    EXPECT_NE(ErrorFrom([&] { DecodeImage(good.substr(0, size), frame); }), "no error") << size;
  }
  EXPECT_THAT(ErrorFrom([&] { DecodeImage(FlatJpeg(16385, 1, {77}), frame); }),
              HasSubstr("is 16385x1 px; expected 1 to 16384 a side"));
}

}  // namespace
}  // namespace calfvo
