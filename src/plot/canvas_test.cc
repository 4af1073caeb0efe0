// SPDX-License-Identifier: Apache-2.0
// Both canvases, colours and the font.
#include "plot/canvas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/testing.h"
#include "plot/not_numbers.h"
#include "plot/raster_canvas.h"
#include "plot/stroke_font.h"
#include "plot/svg_canvas.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Color kClear{0, 0, 0, 0};
constexpr Color kBlack{0, 0, 0};

void DrawLine(Canvas& canvas, const std::vector<Point>& points, const Stroke& stroke) {
  canvas.Polyline(points, stroke);
}

int InkedPixels(const RasterCanvas& canvas) {
  int count = 0;
  for (int y = 0; y < canvas.pixel_height(); ++y) {
    for (int x = 0; x < canvas.pixel_width(); ++x) count += canvas.At(x, y).a > 0 ? 1 : 0;
  }
  return count;
}

TEST(ColorMap, GetsLighterAndIsClamped) {
  const auto luma = [](Color c) { return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b; };
  for (int i = 1; i <= 100; ++i) EXPECT_GT(luma(ColorMap(i / 100.0)), luma(ColorMap((i - 1) / 100.0))) << i;
  EXPECT_EQ(ColorMap(-kInf), ColorMap(0.0));
  EXPECT_EQ(ColorMap(7.0), ColorMap(1.0));
  EXPECT_EQ(ColorMap(kNan), kMissingGrey);
}

TEST(RasterCanvas, LineCoversItsPixels) {
  RasterCanvas canvas(20, 20, 1.0, kClear);
  DrawLine(canvas, {{5.0, 10.5}, {15.0, 10.5}}, {kBlack, 1.0});
  for (int x = 5; x < 15; ++x) {
    EXPECT_EQ(canvas.At(x, 10), kBlack) << x;
    EXPECT_EQ(canvas.At(x, 9).a, 0) << x;
    EXPECT_EQ(canvas.At(x, 11).a, 0) << x;
  }
  EXPECT_EQ(canvas.At(3, 10).a, 0);
  EXPECT_EQ(canvas.At(16, 10).a, 0);
}

TEST(RasterCanvas, HalfCoveredPixelsAreHalfOpaque) {
  RasterCanvas canvas(20, 20, 1.0, kClear);
  DrawLine(canvas, {{5.0, 10.0}, {15.0, 10.0}}, {kBlack, 1.0});
  EXPECT_EQ(canvas.At(10, 9).a, 128);
  EXPECT_EQ(canvas.At(10, 10).a, 128);
  RasterCanvas white(20, 20);
  DrawLine(white, {{5.0, 10.0}, {15.0, 10.0}}, {kBlack, 1.0});
  EXPECT_EQ(white.At(10, 9), (Color{128, 128, 128}));
}

TEST(RasterCanvas, CrossingItselfIsNotDarker) {
  RasterCanvas canvas(20, 20, 1.0, kClear);
  DrawLine(canvas, {{2.0, 10.5}, {18.0, 10.5}, {2.0, 10.5}}, {{0, 0, 0, 100}, 3.0});
  EXPECT_EQ(canvas.At(10, 10).a, 100);
}

TEST(RasterCanvas, DashesLeaveGaps) {
  RasterCanvas canvas(40, 10, 1.0, kClear);
  DrawLine(canvas, {{0.0, 5.5}, {13.0, 5.5}, {40.0, 5.5}}, {kBlack, 1.0, 6.0, 4.0});
  for (const int x : {3, 13, 23, 33}) EXPECT_EQ(canvas.At(x, 5).a, 255) << x;
  for (const int x : {8, 18, 28, 38}) EXPECT_EQ(canvas.At(x, 5).a, 0) << x;
}

TEST(RasterCanvas, PolygonFillIsExactOnPixelsAndHalfOnDiagonals) {
  RasterCanvas canvas(10, 10, 1.0, kClear);
  canvas.FillRect({2.0, 3.0, 5.5, 6.0}, kBlack);
  EXPECT_EQ(canvas.At(2, 3), kBlack);
  EXPECT_EQ(canvas.At(4, 5), kBlack);
  EXPECT_EQ(canvas.At(5, 4).a, 128);
  EXPECT_EQ(canvas.At(6, 4).a, 0);
  EXPECT_EQ(canvas.At(2, 6).a, 0);
  RasterCanvas triangle(10, 10, 1.0, kClear);
  triangle.Fill(std::vector<Point>{{0, 0}, {10, 10}, {0, 10}}, kBlack);
  EXPECT_NEAR(triangle.At(4, 4).a, 128, 1);
  EXPECT_EQ(triangle.At(2, 7), kBlack);
  EXPECT_EQ(triangle.At(7, 2).a, 0);
}

TEST(RasterCanvas, ScaleMultipliesPixels) {
  RasterCanvas canvas(10, 5, 2.0, kClear);
  EXPECT_EQ(canvas.pixel_width(), 20);
  EXPECT_EQ(canvas.pixel_height(), 10);
  canvas.FillRect({1.0, 1.0, 2.0, 2.0}, kBlack);
  EXPECT_EQ(InkedPixels(canvas), 4);
}

TEST(RasterCanvas, ClipsNest) {
  RasterCanvas canvas(10, 10, 1.0, kClear);
  canvas.PushClip({2, 2, 8, 8});
  canvas.PushClip({0, 0, 4, 4});
  canvas.FillRect({0, 0, 10, 10}, kBlack);
  EXPECT_EQ(InkedPixels(canvas), 4);
  canvas.PopClip();
  DrawLine(canvas, {{-50, 5.5}, {50, 5.5}}, {kBlack, 1.0});
  EXPECT_EQ(InkedPixels(canvas), 4 + 6);
}

TEST(RasterCanvas, NonFiniteAndHugeCoordinatesAreHarmless) {
  RasterCanvas canvas(10, 10, 1.0, kClear);
  DrawLine(canvas, {{kNan, 1}, {1, kInf}, {-kInf, kNan}}, {kBlack, 1.0});
  canvas.Fill(std::vector<Point>{{kNan, 0}, {kInf, 2}, {3, 3}}, kBlack);
  canvas.Text({kNan, kInf}, "text", {});
  EXPECT_EQ(InkedPixels(canvas), 0);
  DrawLine(canvas, {{-1e300, 5.5}, {1e300, 5.5}}, {kBlack, 1.0, 3.0, 2.0});
  canvas.FillRect({-1e300, 8.0, 1e300, 1e300}, kBlack);
  EXPECT_EQ(canvas.At(5, 9), kBlack);
  DrawLine(canvas, {{1, 1}, {kNan, kNan}, {9, 1}}, {kBlack, 1.0});
  EXPECT_EQ(canvas.At(5, 1).a, 0);
  EXPECT_GT(canvas.At(1, 1).a, 0);
}

TEST(RasterCanvas, RefusesSizesThatMakeNoSense) {
  EXPECT_THAT(ErrorFrom([] { RasterCanvas(0, 10); }), HasSubstr("1 to 32768"));
  EXPECT_THAT(ErrorFrom([] { RasterCanvas(10, kNan); }), HasSubstr("1 to 32768"));
}

TEST(RasterCanvas, TextSitsOnItsBaselineAndAnchor) {
  RasterCanvas canvas(60, 40, 1.0, kClear);
  canvas.Text({50, 30}, "H", {.size = 20, .anchor = TextAnchor::kEnd});
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 60; ++x) {
      if (canvas.At(x, y).a == 0) continue;
      EXPECT_GE(y, 30 - 0.72 * 20 - 2);
      EXPECT_LE(y, 31);
      EXPECT_GE(x, 50 - TextWidth("H", 20) - 1);
      EXPECT_LE(x, 50);
    }
  }
  EXPECT_GT(InkedPixels(canvas), 20);
}

TEST(StrokeFont, EveryCharacterIsDistinctAndHasInk) {
  std::vector<std::string> texts = {"°", "σ", "µ"};
  for (char c = '!'; c <= '~'; ++c) texts.emplace_back(1, c);
  std::vector<std::vector<uint8_t>> pictures;
  for (const std::string& text : texts) {
    RasterCanvas canvas(40, 40, 1.0, kClear);
    canvas.Text({5, 30}, text, {.size = 24});
    EXPECT_GT(InkedPixels(canvas), 3) << text;
    pictures.emplace_back(canvas.pixels().begin(), canvas.pixels().end());
    for (size_t i = 0; i + 1 < pictures.size(); ++i)
      EXPECT_NE(pictures[i], pictures.back()) << text << texts[i];
  }
  EXPECT_GT(TextWidth("ab", 10), TextWidth("a", 10));
  EXPECT_DOUBLE_EQ(TextWidth("σ°", 20), 2 * TextWidth("σ°", 10));
  EXPECT_GT(TextWidth("\xC3", 10), 0.0);  // a cut-off sequence
}

TEST(SvgCanvas, WritesShortCoordinates) {
  SvgCanvas canvas(100, 50);
  DrawLine(canvas, {{1.0, -0.001}, {2.345678, 3.5}, {kNan, 0}, {7, 1e300}}, {{255, 0, 16}, 1.25, 4, 2});
  const std::string svg = canvas.Document();
  EXPECT_THAT(svg, HasSubstr("d=\"M1 0L2.35 3.5M7 1000000h0\""));
  EXPECT_THAT(svg, HasSubstr("stroke=\"#ff0010\" stroke-width=\"1.25\" stroke-dasharray=\"4 2\""));
}

TEST(SvgCanvas, EscapesText) {
  EXPECT_EQ(EscapeXml("a<b & \"c\"\t> d\n"), "a&lt;b &amp; &quot;c&quot; &gt; d\n");
  EXPECT_EQ(EscapeXml("caf\xe9 <\u00b0\U0001f600\uffff"), "caf\uFFFD &lt;\u00b0\U0001f600\uFFFD");
  SvgCanvas canvas(100, 50);
  canvas.Text({1, 2}, "<script>&", {.rotation_deg = 90});
  EXPECT_THAT(canvas.Document(), HasSubstr("&lt;script&gt;&amp;</text>"));
  EXPECT_THAT(canvas.Document(), Not(HasSubstr("<script>")));
  EXPECT_THAT(canvas.Document(), HasSubstr("rotate(-90 1 2)"));
}

TEST(SvgCanvas, ClosesWhatIsOpen) {
  SvgCanvas canvas(100, 50);
  canvas.PopClip();
  canvas.PushClip({1, 2, 30, 40});
  EXPECT_THAT(canvas.Document(), HasSubstr("<g clip-path=\"url(#clip_1_2_29_38)\">\n</g>\n</svg>"));
}

}  // namespace
}  // namespace calfvo
