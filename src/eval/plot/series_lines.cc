// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/series_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "eval/plot/decimate.h"

namespace calfvo {
namespace {

constexpr int kColorLevels = 96;       // of the map; neighbours of one level share a line
constexpr size_t kPointsPerLine = 8;   // what a line costs in an SVG besides its points, in points
constexpr double kFinestColor = 0.75;  // px; shorter stretches share a colour
constexpr double kMarkerRadius = 4.5;  // px

std::vector<Point> MapPoints(const Series& series, const Axis& x_axis, const Axis& y_axis) {
  constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
  std::vector<Point> points;
  points.reserve(series.x.size());
  for (size_t i = 0; i < series.x.size(); ++i) {
    const bool shown = IsPlottable(series.x[i]) && IsPlottable(series.y[i]);
    points.push_back(shown ? Point{x_axis.ToPixel(series.x[i]), y_axis.ToPixel(series.y[i])}
                           : Point{kGap, kGap});
  }
  return points;
}

// The colour of a value, in steps too small to see.
Color LevelColor(double value, const Range& colors) {
  if (std::isnan(value)) return kMissingGrey;
  const double t = std::clamp((value - colors.low) / colors.span(), 0.0, 1.0);
  return ColorMap(std::round(t * kColorLevels) / kColorLevels);
}

// Cuts a piece where its colour changes; neighbours share the point between them.
void AppendByColor(const LinePiece& piece, const Range& colors, double coarseness,
                   std::vector<ColoredLine>& lines) {
  const size_t first = lines.size();
  for (const LinePiece& cut : CutByLength(piece, coarseness * kFinestColor)) {
    const Color color = LevelColor(cut.values[0], colors);
    if (lines.size() == first || lines.back().color != color) lines.push_back({{cut.points[0]}, color});
    lines.back().points.insert(lines.back().points.end(), cut.points.begin() + 1, cut.points.end());
  }
  // Shape matters more than colour, and gets coarser later.
  const double tolerance = kInvisible * std::max(1.0, coarseness / 32.0);
  for (size_t i = first; i < lines.size(); ++i) lines[i].points = SimplifyLine(lines[i].points, tolerance);
}

// As Decimate does, but the first to get coarser are changes of colour, each of which costs a line.
std::vector<ColoredLine> ColorPieces(const std::vector<LinePiece>& pieces, const Range& colors,
                                     size_t point_budget) {
  constexpr int kCoarsenings = 14;
  std::vector<ColoredLine> lines;
  size_t cost = 0;
  double coarseness = 1.0;
  for (int round = 0; round < kCoarsenings; ++round, coarseness *= 2.0) {
    lines.clear();
    cost = 0;
    for (const LinePiece& piece : pieces) {
      if (piece.points.size() == 1) {
        lines.push_back({piece.points, kMissingGrey});
      } else {
        AppendByColor(piece, colors, coarseness, lines);
      }
    }
    for (const ColoredLine& line : lines) cost += kPointsPerLine + line.points.size();
    if (cost <= point_budget) return lines;
  }
  const size_t stride = cost / std::max<size_t>(point_budget, 1) + 1;
  std::vector<ColoredLine> sample;
  for (size_t i = 0; i < lines.size(); i += stride) sample.push_back(std::move(lines[i]));
  return sample;
}

void DrawMarker(Point center, bool round, Color color, Canvas& canvas) {
  const int corners = round ? 24 : 4;
  const double turn = round ? 0.0 : std::numbers::pi / 4;
  const auto outline = [&](double radius) {
    std::vector<Point> points;
    for (int i = 0; i < corners; ++i) {
      const double angle = turn + 2 * std::numbers::pi * i / corners;
      points.push_back({center.x + radius * std::cos(angle), center.y + radius * std::sin(angle)});
    }
    return points;
  };
  const double radius = round ? kMarkerRadius : kMarkerRadius * 1.25;
  canvas.Fill(outline(radius + 1.5), kWhite);
  canvas.Fill(outline(radius), color);
}

}  // namespace

size_t PointsWanted(const Series& series) {
  return series.x.size() * (series.values.empty() ? 1 : kPointsPerLine + 2);
}

SeriesLines MakeSeriesLines(const Series& series, const Axis& x_axis, const Axis& y_axis, const Range& colors,
                            size_t point_budget) {
  const std::vector<Point> points = MapPoints(series, x_axis, y_axis);
  const std::vector<LinePiece> pieces = SplitAtGaps(points, series.values);
  SeriesLines result;
  if (pieces.empty()) return result;
  result.first = pieces.front().points.front();
  result.last = pieces.back().points.back();
  if (!series.values.empty()) {
    result.lines = ColorPieces(pieces, colors, point_budget);
    return result;
  }
  for (LinePiece& piece : Decimate(pieces, point_budget)) {
    result.lines.push_back({std::move(piece.points), series.color});
  }
  return result;
}

Stroke SeriesStroke(const Series& series, Color color) {
  Stroke stroke{color, series.width};
  if (series.dashed) {
    stroke.dash_on = 3.0 + 1.5 * series.width;
    stroke.dash_off = 2.5 + 1.5 * series.width;
  }
  return stroke;
}

void DrawSeriesLines(const Series& series, const SeriesLines& lines, Canvas& canvas) {
  for (const ColoredLine& line : lines.lines) canvas.Polyline(line.points, SeriesStroke(series, line.color));
  const Color marker_color = series.values.empty() ? series.color : kInk;
  if (series.start_marker && lines.first) DrawMarker(*lines.first, true, marker_color, canvas);
  if (series.end_marker && lines.last) DrawMarker(*lines.last, false, marker_color, canvas);
}

}  // namespace calfvo
