// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/base/testing.h"
#include "eval/plot/legend.h"
#include "eval/plot/not_numbers.h"
#include "eval/plot/panel.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Series Line(std::vector<double> x, std::vector<double> y, std::string label = "") {
  return {.x = std::move(x), .y = std::move(y), .label = std::move(label)};
}

Figure OnePanel(std::vector<Series> series) {
  Panel panel{.x_label = "x (m)", .y_label = "y (m)"};
  panel.series = std::move(series);
  return {.title = "title", .panels = {panel}};
}

Figure Trajectory() {
  Series truth = Line({}, {}, "ground truth");
  Series estimate = Line({}, {}, "estimate");
  for (int i = 0; i < 500; ++i) {
    truth.x.push_back(std::cos(i * 0.01));
    truth.y.push_back(std::sin(i * 0.02));
    estimate.x.push_back(std::cos(i * 0.01) * 1.02);
    estimate.y.push_back(std::sin(i * 0.02) * 0.98);
    if (i > 0) estimate.values.push_back(i == 100 ? kNan : i * 0.01);
  }
  truth.dashed = true;
  estimate.start_marker = true;
  estimate.end_marker = true;
  Figure figure = OnePanel({truth, estimate});
  figure.panels[0].equal_aspect = true;
  figure.panels[0].color_bar = ColorBar{"error (m)", 0.0, 5.0};
  return figure;
}

TEST(Figure, LabelsNeedNotBeUtf8) {
  Figure figure = Trajectory();
  figure.title = "<b>&\"title\"</b> \x01 caf\xe9";
  figure.panels[0].series[0].label = "\xc3";
  const std::string svg = RenderSvg(figure);
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, HasSubstr("rgb(69.019608%"));  // the segment without a value
}

TEST(Figure, SameBytesEveryTime) {
  EXPECT_EQ(RenderSvg(Trajectory()), RenderSvg(Trajectory()));
  EXPECT_EQ(RenderPng(Trajectory()), RenderPng(Trajectory()));
}

TEST(Figure, CopesWithOddData) {
  const std::vector<std::vector<Series>> cases = {
      {},
      {Line({}, {}, "empty")},
      {Line({1.0}, {2.0}, "one point")},
      {Line({0, 1, 2}, {5, 5, 5}, "constant")},
      {Line({0, 1e12}, {-1e12, 1e12}, "huge")},
      {Line({0, 1e-12}, {-1e-12, 1e-12}, "tiny")},
      {Line({1e12, 1e12 + 1}, {1e-300, 2e-300}, "far away")},
      {Line({kNan, kInf}, {0, -kInf}, "nothing finite")},
      {Line({0, kNan, 2, 3}, {0, 1, 1e308, -1e308}, "gaps")},
      {Line({-1.7e308, 1.7e308}, {1.7e308, -1.7e308}, "overflow")},
  };
  for (const std::vector<Series>& series : cases) {
    for (const bool equal_aspect : {false, true}) {
      SCOPED_TRACE(series.empty() ? "no series" : series[0].label);
      Figure figure = OnePanel(series);
      figure.width = 320;
      figure.height = 240;
      figure.panels[0].equal_aspect = equal_aspect;
      for (Series& one : figure.panels[0].series) one.start_marker = one.end_marker = true;
      figure.panels[0].color_bar = ColorBar{"", equal_aspect ? kNan : 3.0, 3.0};
      const std::string svg = RenderSvg(figure);
      EXPECT_THAT(svg, Not(HasSubstr("nan")));
      EXPECT_THAT(svg, Not(HasSubstr("inf")));
      EXPECT_THAT(RenderPng(figure), StartsWith("\x89PNG"));
    }
  }
  EXPECT_THAT(RenderSvg({.title = "no panels"}), HasSubstr("</svg>"));
}

TEST(Figure, BreaksLinesAtGaps) {
  const std::string whole = RenderSvg(OnePanel({Line({0, 1, 2, 3}, {0, 1, 1, 0})}));
  const std::string broken = RenderSvg(OnePanel({Line({0, 1, kNan, 2, 3}, {0, 1, 1, 1, 0})}));
  const auto lines = [](const std::string& svg) {
    size_t count = 0;
    const std::string mark = "stroke:rgb(14.117647%";
    for (size_t at = svg.find(mark); at != std::string::npos; at = svg.find(mark, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(lines(whole), 1U);
  EXPECT_EQ(lines(broken), 2U);
}

TEST(Figure, MillionPointsStaySmall) {
  std::mt19937 random(11);
  std::normal_distribution<double> noise;
  Series over_time = Line({}, {}, "noise");
  Series scribble = Line({}, {}, "scribble");
  double x = 0.0;
  double y = 0.0;
  for (int i = 0; i < 1000000; ++i) {
    over_time.x.push_back(i * 0.001);
    over_time.y.push_back(noise(random));
    x += noise(random);
    y += noise(random);
    scribble.x.push_back(x);
    scribble.y.push_back(y);
    if (i > 0) scribble.values.push_back(std::abs(noise(random)));
  }
  Figure figure = OnePanel({over_time});
  figure.panels.push_back(OnePanel({scribble}).panels[0]);
  figure.panels[1].color_bar = ColorBar{"error (m)", 0.0, 3.0};
  const std::string svg = RenderSvg(figure);
  EXPECT_LT(svg.size(), 400000U);
  EXPECT_GT(svg.size(), 50000U);
}

TEST(Figure, EqualAspectMeansEqualScale) {
  const Panel panel = Trajectory().panels[0];
  for (const double headroom : {0.0, 40.0}) {
    const PanelLayout layout = LayOutPanel(panel, {50, 20, 650, 320}, headroom);
    EXPECT_NEAR(layout.x.ToPixel(1.0) - layout.x.ToPixel(0.0), layout.y.ToPixel(0.0) - layout.y.ToPixel(1.0),
                1e-6);
    EXPECT_GE(layout.y.ToPixel(0.98), 20 + headroom);
    EXPECT_LE(layout.y.ToPixel(-0.98), 320);
  }
}

TEST(Figure, YDownFlipsThePanel) {
  Panel panel = Trajectory().panels[0];
  const Rect box{50, 20, 650, 320};
  for (const double headroom : {0.0, 40.0}) {
    panel.y_down = false;
    const PanelLayout up = LayOutPanel(panel, box, headroom);
    panel.y_down = true;
    const PanelLayout down = LayOutPanel(panel, box, headroom);
    for (const double y : {-0.98, 0.0, 0.5, 0.98}) {
      EXPECT_NEAR(down.y.ToPixel(y) + up.y.ToPixel(y), box.top + box.bottom + headroom, 1e-9);
      EXPECT_GE(down.y.ToPixel(y), box.top + headroom);
    }
    EXPECT_EQ(down.x.range.low, up.x.range.low);
    ASSERT_GE(down.y_ticks.values.size(), 3U);
    EXPECT_LT(down.y.ToPixel(down.y_ticks.values[0]), down.y.ToPixel(down.y_ticks.values[1]));
  }
}

TEST(Legend, AvoidsTheData) {
  // Lines along the top and the left edge leave the lower right corner.
  const Panel panel = OnePanel({Line({}, {}, "label")}).panels[0];
  const Legend legend(panel, false);
  SeriesLines lines;
  lines.lines.push_back({{{0, 300}, {0, 0}, {400, 0}}, {}});
  lines.lines.push_back({{{20, 280}, {20, 20}, {380, 20}}, {}});
  const Legend::Place place = legend.FindPlace({0, 0, 400, 300}, std::vector<SeriesLines>{lines});
  EXPECT_EQ(place.overlap, 0.0);
  EXPECT_GT(place.rect.left, 200);
  EXPECT_GT(place.rect.top, 150);
  EXPECT_LT(place.rect.right, 400);
  EXPECT_LT(place.rect.bottom, 300);
}

TEST(Figure, NamesWhatDoesNotFit) {
  EXPECT_THAT(ErrorFrom([] {
                RenderSvg(OnePanel({Line({1, 2}, {1}, "a")}));
              }),
              HasSubstr("series \"a\" has 2 x and 1 y values"));
  Figure figure = Trajectory();
  figure.panels[0].series[1].values.pop_back();
  EXPECT_THAT(ErrorFrom([&] { RenderSvg(figure); }), HasSubstr("500 points and 498 values"));
  figure = Trajectory();
  figure.panels[0].color_bar.reset();
  EXPECT_THAT(ErrorFrom([&] { RenderPng(figure); }), HasSubstr("colour bar"));
  EXPECT_THAT(ErrorFrom([] { RenderPng({.title = "", .width = 0}); }), HasSubstr("0x500"));
}

TEST(Figure, WritesBothFiles) {
  const TempFolder folder;
  WriteFigure(Trajectory(), folder.path() / "run.1");
  EXPECT_EQ(ReadWholeFile(folder.path() / "run.1.svg"), RenderSvg(Trajectory()));
  EXPECT_EQ(ReadWholeFile(folder.path() / "run.1.png"), RenderPng(Trajectory()));
  EXPECT_EQ(folder.FileCount(), 2);
}

}  // namespace
}  // namespace calfvo
