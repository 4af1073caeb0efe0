// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/image/png.h"
#include "io/video/test_media.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ImageReaderTest : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name, const std::string& bytes) {
    const auto path = folder_.path() / name;
    WriteBytes(path, bytes);
    return path;
  }

  const TempFolder folder_;
};

TEST_F(ImageReaderTest, ReadsAFolderAtThirtyPerSecond) {
  Write("img10.ppm", FlatPpm(4, 3, {10, 10, 10}));
  Write("img9.ppm", FlatPpm(1, 1, {9, 9, 9}));
  const auto source = OpenFrames(folder_.path().string());
  EXPECT_EQ(source->info().kind, "images");
  EXPECT_EQ(source->info().frame_count, 2);
  EXPECT_EQ(source->info().description, "2 images of 1x1 px, 30 frames/s assumed");
  const auto frames = ReadAll(*source);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_THAT(frames[0].rgb, ElementsAre(9, 9, 9));
  EXPECT_EQ(frames[1].width, 4);
  EXPECT_EQ(frames[1].height, 3);
  EXPECT_EQ(frames[1].timestamp_ns, 33333333);
}

TEST_F(ImageReaderTest, ReadsGlobsAndSingleImages) {
  Write("a2.ppm", FlatPpm(1, 1, {2, 2, 2}));
  Write("a10.ppm", FlatPpm(1, 1, {10, 10, 10}));
  Write("b1.ppm", FlatPpm(1, 1, {1, 1, 1}));
  const auto frames = ReadAll(folder_.path() / "a*.ppm");
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(Pixel(frames[1], 0, 0)[0], 10);
  EXPECT_EQ(ReadAll(folder_.path() / "b1.ppm").size(), 1U);
  // The name does not matter.
  EXPECT_EQ(ReadAll(Write("clip.mp4", FlatPpm(2, 1, {5, 5, 5})))[0].width, 2);
}

TEST_F(ImageReaderTest, RepeatsTheImageBeforeADamagedOne) {
  Write("0.ppm", "P6 5");
  Write("1.ppm", FlatPpm(2, 2, {11, 12, 13}));
  Write("2.png", "\x89PNG\r\n\x1a\nand nothing more");
  Write("3.ppm", FlatPpm(2, 2, {31, 32, 33}));
  const auto frames = ReadAll(folder_.path());
  ASSERT_EQ(frames.size(), 4U);
  EXPECT_THAT(frames[0].damage, HasSubstr("0.ppm: the PPM header is not"));
  EXPECT_THAT(Pixel(frames[0], 1, 1), ElementsAre(128, 128, 128));
  EXPECT_THAT(frames[2].damage, HasSubstr("2.png: the PNG is damaged: "));
  EXPECT_THAT(Pixel(frames[2], 1, 1), ElementsAre(11, 12, 13));
  EXPECT_THAT(frames[3].damage, IsEmpty());
  EXPECT_THAT(Pixel(frames[3], 1, 1), ElementsAre(31, 32, 33));
}

TEST_F(ImageReaderTest, MarksListedImagesThatAreNotThere) {
  Write("rgb/a.ppm", FlatPpm(1, 1, {1, 2, 3}));
  Write("rgb.txt", "1.5 rgb/a.ppm\n1.6 rgb/gone.ppm\n");
  const auto frames = ReadAll(folder_.path());
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[1].timestamp_ns, 1600000000);
  EXPECT_THAT(frames[1].damage, HasSubstr("rgb/gone.ppm: cannot read: No such file or directory"));
}

TEST_F(ImageReaderTest, WarnsAboutAnimatedPng) {
  const std::vector<uint8_t> pixel = {1, 2, 3};
  std::string png = EncodePng({1, 1, PixelFormat::kRgb8, pixel.data(), 3});
  const auto warning = [&](const std::string& bytes) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(ReadAll(Write("a.png", bytes)).size(), 1U);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(warning(png), "");
  constexpr size_t kHeaderEnd = 8 + 25;  // signature and IHDR
  constexpr char kAnimation[] =
      "\0\0\0\x08"
      "acTL\0\0\0\x02\0\0\0\0\xf3\x8d\x93\x70";
  png.insert(kHeaderEnd, kAnimation, 20);
  EXPECT_THAT(warning(png), HasSubstr("a.png: animated PNG; only its first frame is read"));
}

TEST_F(ImageReaderTest, TakesALargeImage) {
  const auto path = Write("wide.pgm", "P5 16384 700 255\n" + std::string(16384 * 700, '\x40'));
  const auto frames = ReadAll(path);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_THAT(Pixel(frames[0], 16383, 699), ElementsAre(64, 64, 64));
}

}  // namespace
}  // namespace calfvo
