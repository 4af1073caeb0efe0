// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <jpeglib.h>
#include <cstdio>  // jpeglib.h needs it
#include <cstdlib>

#include "core/image/image_decoder.h"
#include "core/image/test_images.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

struct Coding {
  bool progressive = false;                // in the ten scans, or six of grey images, that libjpeg takes
  std::vector<jpeg_scan_info> scans = {};  // in these, if there are any
  bool optimised = false;                  // in as few bits as there can be
  bool arithmetic = false;
};

std::string FlatJpeg(int width, int height, const std::vector<uint8_t>& colour, const Coding& coding = {}) {
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
  jpeg.in_color_space = colour.size() == 4 ? JCS_CMYK : colour.size() == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 95, TRUE);
  if (coding.progressive) jpeg_simple_progression(&jpeg);
  if (!coding.scans.empty()) {
    jpeg.scan_info = coding.scans.data();
    jpeg.num_scans = static_cast<int>(coding.scans.size());
  }
  jpeg.optimize_coding = static_cast<boolean>(coding.optimised);
  jpeg.arith_code = static_cast<boolean>(coding.arithmetic);
  jpeg_start_compress(&jpeg, TRUE);
  std::vector<uint8_t> row;
  for (int x = 0; x < width; ++x) row.insert(row.end(), colour.begin(), colour.end());
  JSAMPROW rows = row.data();
  for (int y = 0; y < height; ++y) jpeg_write_scanlines(&jpeg, &rows, 1);
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string result(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return result;
}

// A grey image's coefficients bit by bit: one scan for the mean, and then as many as wished for.
std::vector<jpeg_scan_info> ManyScans(size_t count) {
  constexpr int kMaxShift = 10;
  std::vector<jpeg_scan_info> scans = {
      {.comps_in_scan = 1, .component_index = {0}, .Ss = 0, .Se = 0, .Ah = 0, .Al = 0}};
  for (int k = 1; k < 64; ++k) {
    for (int shift = kMaxShift; shift >= 0 && scans.size() < count; --shift) {
      scans.push_back({.comps_in_scan = 1,
                       .component_index = {0},
                       .Ss = k,
                       .Se = k,
                       .Ah = shift == kMaxShift ? 0 : shift + 1,
                       .Al = shift});
    }
  }
  return scans;
}

TEST(DecodeJpeg, RefusesCmyk) {
  Frame frame;
  EXPECT_EQ(ErrorFrom([&] {
              DecodeImage(FlatJpeg(8, 8, {10, 20, 30, 40}), frame);
            }),
            "CMYK JPEG is not supported; convert it to RGB");
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

// Two bits for each block: nothing takes less.
TEST(DecodeJpeg, ReadsLargeImagesOfAlmostNothing) {
  Frame frame;
  const std::string flat = FlatJpeg(4096, 4096, {128}, {.optimised = true});
  EXPECT_LT(flat.size(), 512U * 512 / 4 + 1000);
  DecodeImage(flat, frame);
  EXPECT_TRUE(IsNear(Pixel(frame, 4095, 4095), {128, 128, 128}, 1));
  DecodeImage(FlatJpeg(4096, 4096, {255, 255, 255}, {.optimised = true}), frame);
  EXPECT_TRUE(IsNear(Pixel(frame, 4095, 4095), {255, 255, 255}, 1));
  DecodeImage(FlatJpeg(4096, 4096, {128}, {.scans = ManyScans(8)}), frame);
  EXPECT_TRUE(IsNear(Pixel(frame, 4095, 4095), {128, 128, 128}, 1));
}

TEST(DecodeJpeg, RefusesAClaimBeforeMakingRoom) {
  std::string claim = FlatJpeg(8, 8, {77});
  const size_t size_at = claim.find("\xff\xc0") + 5;
  claim.replace(size_at, 4, std::string("\x40\x00\x40\x00", 4));
  Frame frame;
  EXPECT_EQ(ErrorFrom([&] { DecodeImage(claim, frame); }),
            "the JPEG is damaged: its " + std::to_string(claim.size()) + " bytes cannot hold 16384x16384 px");
  EXPECT_EQ(frame.rgb.capacity(), 0U);
}

void ReadsManyScansButNotAnyNumber(bool arithmetic) {
  const auto in_scans = [&](size_t count) {
    return FlatJpeg(17, 9, {77}, {.scans = ManyScans(count), .arithmetic = arithmetic});
  };
  Frame frame;
  DecodeImage(FlatJpeg(17, 9, {200, 100, 50}, {.progressive = true, .arithmetic = arithmetic}), frame);
  EXPECT_TRUE(IsNear(Pixel(frame, 16, 8), {200, 100, 50}, 2));
  DecodeImage(in_scans(100), frame);
  EXPECT_TRUE(IsNear(Pixel(frame, 16, 8), {77, 77, 77}, 1));
  for (const size_t count : {101, 600}) {
    EXPECT_EQ(ErrorFrom([&] { DecodeImage(in_scans(count), frame); }),
              "the JPEG has over 100 scans, many more than images need; save it anew");
  }
}

TEST(DecodeJpeg, ReadsProgressiveFilesOfManyScansButNotOfAnyNumber) {
  ReadsManyScansButNotAnyNumber(/*arithmetic=*/false);
}

#if defined(C_ARITH_CODING_SUPPORTED) && defined(D_ARITH_CODING_SUPPORTED)
TEST(DecodeJpeg, ReadsArithmeticCodingOfManyScansButNotOfAnyNumber) {
  ReadsManyScansButNotAnyNumber(/*arithmetic=*/true);
}

// Each component in a scan of its own, repeated: no progression forbids that.
TEST(DecodeJpeg, RefusesManyScansThatAreNotProgressiveToo) {
  std::vector<jpeg_scan_info> scans;
  for (int i = 0; i < 3; ++i) {
    scans.push_back({.comps_in_scan = 1, .component_index = {i}, .Ss = 0, .Se = 63, .Ah = 0, .Al = 0});
  }
  std::string file = FlatJpeg(17, 9, {200, 100, 50}, {.scans = scans, .arithmetic = true});
  Frame frame;
  DecodeImage(file, frame);
  EXPECT_TRUE(IsNear(Pixel(frame, 16, 8), {200, 100, 50}, 2));
  const size_t first = file.find("\xff\xda");
  const std::string scan = file.substr(first, file.find("\xff\xda", first + 2) - first);
  for (int i = 0; i < 100; ++i) file.insert(first, scan);
  EXPECT_EQ(ErrorFrom([&] { DecodeImage(file, frame); }),
            "the JPEG has over 100 scans, many more than images need; save it anew");
}
#endif

}  // namespace
}  // namespace calfvo
