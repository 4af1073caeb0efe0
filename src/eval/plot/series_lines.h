// SPDX-License-Identifier: Apache-2.0
// From a series of data to the lines that are drawn for it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "eval/plot/axis.h"
#include "eval/plot/canvas.h"
#include "eval/plot/figure.h"

namespace calfvo {

struct ColoredLine {
  std::vector<Point> points;  // px, finite
  Color color;
};

struct SeriesLines {
  std::vector<ColoredLine> lines;  // in drawing order
  std::optional<Point> first;      // first and last point that can be drawn
  std::optional<Point> last;
};

// Maps, thins and colours. `point_budget` bounds the size of the drawing; a segment that needs a line of its
// own for its colour counts for several points. `colors` is the range of the colour map.
SeriesLines MakeSeriesLines(const Series& series, const Axis& x_axis, const Axis& y_axis, const Range& colors,
                            size_t point_budget);

// Draws the lines, then the markers of start and end on top of them.
void DrawSeriesLines(const Series& series, const SeriesLines& lines, Canvas& canvas);

// The budget at which a series would be drawn without thinning.
size_t PointsWanted(const Series& series);

Stroke SeriesStroke(const Series& series, Color color);

}  // namespace calfvo
