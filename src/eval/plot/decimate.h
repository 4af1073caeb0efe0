// SPDX-License-Identifier: Apache-2.0
// Fewer points for the same image. All coordinates are px.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "eval/plot/canvas.h"

namespace calfvo {

// A line without gaps. `values` is empty or has one number per segment.
struct LinePiece {
  std::vector<Point> points;
  std::vector<double> values;
};

// The pieces between points that are not finite. values[i], where given, belongs to the segment from point i
// to point i + 1.
std::vector<LinePiece> SplitAtGaps(std::span<const Point> points, std::span<const double> values);

// Of points whose x does not fall: the first, lowest, highest and last in each column `column_px` wide, in
// their order. What a plotter would ink in the columns stays the same.
std::vector<Point> ColumnExtremes(std::span<const Point> points, double column_px);

// A line through some of the points, first and last included, that passes within `tolerance_px` of all the
// others. Takes linear time.
std::vector<Point> SimplifyLine(std::span<const Point> points, double tolerance_px);

// Cuts a piece with values into pieces of at least `length_px` (but for the last), each with one value, the
// mean of its segments' finite ones. Neighbours share the point between them.
std::vector<LinePiece> CutByLength(const LinePiece& piece, double length_px);

// At most about `budget` points in all, without values. Begins with what the eye cannot see, columns of half
// a px for series in x order and a tolerance of 0.08 px for other curves, and gets coarser only until the
// budget is met.
std::vector<LinePiece> Decimate(const std::vector<LinePiece>& pieces, size_t budget);

// Tolerance of SimplifyLine that does not show, in px.
inline constexpr double kInvisible = 0.08;

}  // namespace calfvo
