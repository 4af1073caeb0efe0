// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/canvas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/testing.h"
#include "core/image/image_decoder.h"
#include "eval/plot/not_numbers.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

constexpr Color kBlack{0, 0, 0};
constexpr auto kPng = Canvas::Format::kPng;

Frame Decoded(Canvas& canvas) {
  Frame frame;
  DecodeImage(canvas.Finish(), frame);
  return frame;
}

Color At(const Frame& frame, int x, int y) {
  const uint8_t* rgb =
      &frame.rgb[3 * (static_cast<size_t>(y) * static_cast<size_t>(frame.width) + static_cast<size_t>(x))];
  return {rgb[0], rgb[1], rgb[2]};
}

TEST(ColorMap, GetsLighterAndIsClamped) {
  const auto luma = [](Color c) { return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b; };
  for (int i = 1; i <= 100; ++i) EXPECT_GT(luma(ColorMap(i / 100.0)), luma(ColorMap((i - 1) / 100.0))) << i;
  EXPECT_EQ(ColorMap(-kInf), ColorMap(0.0));
  EXPECT_EQ(ColorMap(7.0), ColorMap(1.0));
  EXPECT_EQ(ColorMap(kNan), kMissingGrey);
}

TEST(Canvas, ScaleMultipliesPixels) {
  Canvas canvas(kPng, 10, 5, 2);
  canvas.FillRect({1.0, 1.0, 2.0, 2.0}, {10, 20, 30});
  canvas.FillColorMap({4.0, 0.0, 6.0, 5.0});
  const Frame frame = Decoded(canvas);
  EXPECT_EQ(frame.width, 20);
  EXPECT_EQ(frame.height, 10);
  EXPECT_EQ(At(frame, 2, 3), (Color{10, 20, 30}));
  EXPECT_EQ(At(frame, 4, 3), kWhite);
  EXPECT_NEAR(At(frame, 9, 9).r, ColorMap(0.05).r, 1);
  EXPECT_NEAR(At(frame, 9, 0).r, ColorMap(0.95).r, 2);
}

TEST(Canvas, PointIsDotAndHugeCoordinatesAreClamped) {
  Canvas canvas(kPng, 20, 20);
  canvas.Polyline(std::vector<Point>{{5.0, 5.0}}, {kBlack, 4.0});
  canvas.Polyline(std::vector<Point>{{-1e300, 15.5}, {1e300, 15.5}}, {kBlack, 1.0});
  const Frame frame = Decoded(canvas);
  EXPECT_EQ(At(frame, 4, 4), kBlack);
  EXPECT_EQ(At(frame, 10, 15), kBlack);
  EXPECT_EQ(At(frame, 10, 10), kWhite);
}

TEST(Canvas, ImagesKeepTheirPixels) {
  const std::vector<uint8_t> rgb = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  Canvas canvas(kPng, 10, 10);
  canvas.Image({3.0, 4.0}, {2, 2, PixelFormat::kRgb8, rgb.data(), 6});
  const Frame frame = Decoded(canvas);
  EXPECT_EQ(At(frame, 3, 4), (Color{1, 2, 3}));
  EXPECT_EQ(At(frame, 4, 5), (Color{10, 11, 12}));
  EXPECT_EQ(At(frame, 5, 5), kWhite);
}

TEST(Canvas, TextSitsOnItsBaselineAndAnchor) {
  Canvas canvas(kPng, 60, 40);
  canvas.Text({50, 30}, "H", {.size = 20, .anchor = TextAnchor::kEnd});
  const Frame frame = Decoded(canvas);
  int inked = 0;
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 60; ++x) {
      if (At(frame, x, y) == kWhite) continue;
      ++inked;
      EXPECT_GE(y, 30 - 0.75 * 20 - 1);
      EXPECT_LE(y, 30);
      EXPECT_GE(x, 50 - TextWidth("H", 20) - 1);
      EXPECT_LE(x, 50);
    }
  }
  EXPECT_GT(inked, 20);
}

TEST(Canvas, TextNeedNotBeUtf8) {
  EXPECT_NEAR(TextWidth("σ°", 20), 2 * TextWidth("σ°", 10), 1e-6);
  EXPECT_DOUBLE_EQ(TextWidth("caf\xe9", 10), TextWidth("caf?", 10));
  EXPECT_DOUBLE_EQ(TextWidth("a\nb", 10), TextWidth("a b", 10));
  const auto drawn = [](const char* text) {
    Canvas canvas(kPng, 60, 20);
    canvas.Text({5, 15}, text, {});
    return canvas.Finish();
  };
  EXPECT_EQ(drawn("caf\xe9 \xc3"), drawn("caf? ?"));
  EXPECT_NE(drawn("σ"), drawn("°"));
}

TEST(Canvas, ReportsWhatCairoRefuses) {
  EXPECT_THAT(ErrorFrom([] { Canvas(kPng, 100000, 10).Finish(); }), HasSubstr("100000x10 px: "));
}

// In a process of its own, since fontconfig reads its configuration once.
TEST(CanvasDeathTest, DrawsWithoutFonts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TempFolder empty;
  const std::string config = (empty.path() / "fonts.conf").string();
  std::ofstream(config) << "<?xml version=\"1.0\"?><fontconfig></fontconfig>";
  EXPECT_EXIT(
      {
        setenv("FONTCONFIG_FILE", config.c_str(), 1);
        Canvas canvas(Canvas::Format::kSvg, 60, 20);
        canvas.Text({5, 15}, "text", {});
        std::exit(canvas.Finish().empty() || TextWidth("text", 10.0) <= 0.0 ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace calfvo
