// SPDX-License-Identifier: Apache-2.0
#include "frames/picture_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "base/testing.h"
#include "plot/png.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

std::vector<uint8_t> Halves(int width, int height) {
  std::vector<uint8_t> rgb;
  for (int i = 0; i < width * height; ++i) {
    const bool left = i % width < width / 2;
    rgb.insert(rgb.end(), {static_cast<uint8_t>(left ? 250 : 10), 100, static_cast<uint8_t>(left ? 0 : 200)});
  }
  return rgb;
}

TEST(ReadPicture, PngComesBackExactly) {
  const TempFolder folder;
  const auto rgb = Halves(37, 21);
  WritePng(folder.path() / "a:b.png", {37, 21, 3, rgb.data(), 37 * 3});
  const Picture picture = ReadPicture(folder.path() / "a:b.png");
  EXPECT_EQ(picture.width, 37);
  EXPECT_EQ(picture.height, 21);
  EXPECT_EQ(picture.rgb, rgb);
}

TEST(ReadPicture, ScalesByAveraging) {
  const TempFolder folder;
  const auto rgb = Halves(64, 64);
  WritePng(folder.path() / "a.png", {64, 64, 3, rgb.data(), 64 * 3});
  const Picture picture = ReadPicture(folder.path() / "a.png", 8, 4);
  ASSERT_EQ(picture.rgb.size(), 8U * 4U * 3U);
  EXPECT_NEAR(picture.rgb[0], 250, 1);
  EXPECT_NEAR(picture.rgb[3 * 7 + 2], 200, 1);
}

TEST(ReadPicture, RefusesWhatIsNoPicture) {
  const TempFolder folder;
  WriteFileAtomically(folder.path() / "text.png", "no picture");
  WriteFileAtomically(folder.path() / "empty.jpg", "");
  EXPECT_THAT(ErrorFrom([&] { ReadPicture(folder.path() / "text.png"); }), HasSubstr("text.png: "));
  EXPECT_THAT(ErrorFrom([&] { ReadPicture(folder.path() / "empty.jpg"); }), HasSubstr("empty.jpg: "));
  EXPECT_THAT(ErrorFrom([&] { ReadPicture(folder.path() / "none.jpg"); }),
              HasSubstr("none.jpg: cannot read: No such file or directory"));
}

}  // namespace
}  // namespace calfvo
