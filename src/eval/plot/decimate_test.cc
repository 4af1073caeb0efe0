// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/decimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "eval/plot/not_numbers.h"

namespace calfvo {
namespace {

size_t Count(const std::vector<LinePiece>& pieces) {
  size_t count = 0;
  for (const LinePiece& piece : pieces) count += piece.points.size();
  return count;
}

TEST(SplitAtGaps, KeepsValuesWithTheirSegments) {
  const std::vector<Point> points = {{kNan, 0}, {1, 1}, {2, 2}, {3, kNan}, {4, 4}, {5, 5}, {6, 6}};
  const auto pieces = SplitAtGaps(points, std::vector<double>{10, 11, 12, 13, 14, 15});
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].points.size(), 2U);
  EXPECT_EQ(pieces[0].values, std::vector<double>({11}));
  EXPECT_EQ(pieces[1].points.size(), 3U);
  EXPECT_EQ(pieces[1].values, std::vector<double>({14, 15}));
  EXPECT_TRUE(SplitAtGaps({}, {}).empty());
}

TEST(ColumnExtremes, KeepsEndsAndExtremesInOrder) {
  std::vector<Point> points;
  points.reserve(100000);
  std::mt19937 random(3);
  std::normal_distribution<double> noise;
  for (int i = 0; i < 100000; ++i) points.push_back({i * 0.005, noise(random)});
  points[12345].y = 90.0;
  points[12346].y = -80.0;
  const std::vector<Point> kept = ColumnExtremes(points, 1.0);
  EXPECT_LE(kept.size(), 4U * 500U);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), [](Point a, Point b) { return a.x < b.x; }));
  EXPECT_EQ(kept.front().y, points.front().y);
  EXPECT_EQ(kept.back().y, points.back().y);
  const auto has = [&](double y) {
    return std::any_of(kept.begin(), kept.end(), [&](Point p) { return p.y == y; });
  };
  EXPECT_TRUE(has(90.0));
  EXPECT_TRUE(has(-80.0));
}

double DistanceToLine(Point p, const std::vector<Point>& line) {
  double best = std::numeric_limits<double>::infinity();
  for (size_t i = 1; i < line.size(); ++i) {
    const Point a = line[i - 1];
    const Point d{line[i].x - a.x, line[i].y - a.y};
    const double squared = d.x * d.x + d.y * d.y;
    const double along = squared > 0 ? ((p.x - a.x) * d.x + (p.y - a.y) * d.y) / squared : 0.0;
    const double t = std::clamp(along, 0.0, 1.0);
    best = std::min(best, std::hypot(p.x - a.x - t * d.x, p.y - a.y - t * d.y));
  }
  return best;
}

TEST(SimplifyLine, PassesNearEveryPoint) {
  std::mt19937 random(9);
  std::normal_distribution<double> noise;
  std::vector<Point> circle;
  std::vector<Point> walk = {{0, 0}};
  std::vector<Point> back_and_forth;
  for (int i = 0; i <= 5000; ++i) {
    circle.push_back({100 * std::cos(i * 0.00125), 100 * std::sin(i * 0.00125)});
    walk.push_back({walk.back().x + noise(random), walk.back().y + noise(random)});
    back_and_forth.push_back({50 * std::sin(i * 0.01), 0.0});
  }
  for (const auto& line : {circle, walk, back_and_forth}) {
    const std::vector<Point> kept = SimplifyLine(line, 0.15);
    for (const Point& point : line) EXPECT_LE(DistanceToLine(point, kept), 0.16);
    EXPECT_EQ(kept.back().x, line.back().x);
    EXPECT_EQ(kept.front().x, line.front().x);
  }
  EXPECT_LT(SimplifyLine(circle, 0.15).size(), 150U);
  EXPECT_LT(SimplifyLine(back_and_forth, 0.15).size(), 100U);
  EXPECT_EQ(SimplifyLine(std::vector<Point>{{1, 1}}, 0.15).size(), 1U);
  EXPECT_EQ(SimplifyLine(std::vector<Point>{{1, 1}, {1, 1}, {1, 1}}, 0.15).size(), 2U);
  EXPECT_TRUE(SimplifyLine({}, 0.15).empty());
}

TEST(CutByLength, AveragesFiniteValues) {
  const LinePiece piece{{{0, 0}, {0.1, 0}, {1, 0}, {2, 0}, {2.1, 0}, {2.2, 0}}, {kNan, 4.0, kNan, 1.0, 2.0}};
  const auto cuts = CutByLength(piece, 0.5);
  ASSERT_EQ(cuts.size(), 3U);
  EXPECT_EQ(cuts[0].points.size(), 3U);
  EXPECT_EQ(cuts[0].values, std::vector<double>({4.0}));
  EXPECT_EQ(cuts[1].points.size(), 2U);
  EXPECT_TRUE(std::isnan(cuts[1].values[0]));
  EXPECT_EQ(cuts[2].points.front().x, 2.0);
  EXPECT_EQ(cuts[2].values, std::vector<double>({1.5}));
}

TEST(Decimate, LeavesShortLinesAlone) {
  const std::vector<LinePiece> pieces = {{{{0, 0}, {10, 5}, {3, 8}}, {}}, {{{7, 7}}, {}}};
  const auto thinned = Decimate(pieces, 100);
  ASSERT_EQ(thinned.size(), 2U);
  EXPECT_EQ(Count(thinned), 4U);
}

TEST(Decimate, MeetsItsBudget) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> anywhere(0.0, 800.0);
  std::vector<Point> scribble;
  std::vector<Point> dots;
  std::vector<Point> dashes;
  std::vector<Point> jumps;
  for (int i = 0; i < 200000; ++i) {
    const Point point{anywhere(random), anywhere(random)};
    scribble.push_back({400 + 300 * std::sin(i * 0.0101), 400 + 300 * std::cos(i * 0.00707)});
    jumps.push_back({point.x * 1e3, point.y * 1e3});
    dots.push_back(i % 2 == 0 ? point : Point{kNan, kNan});
    dashes.push_back(i % 3 != 0 ? point : Point{kNan, kNan});
  }
  for (const auto& points : {scribble, dots, dashes, jumps}) {
    const auto thinned = Decimate(SplitAtGaps(points, {}), 5000);
    EXPECT_LE(Count(thinned), 5100U);
    EXPECT_GE(Count(thinned), 500U);
  }
}

}  // namespace
}  // namespace calfvo
