// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/decimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

namespace calfvo {
namespace {

constexpr double kFinestColumn = 0.5;  // px
constexpr int kRounds = 11;            // up to distances as long as a figure is wide

bool RunsAlongX(const LinePiece& piece) {
  return std::is_sorted(piece.points.begin(), piece.points.end(), [](Point a, Point b) { return a.x < b.x; });
}

size_t CountPoints(const std::vector<LinePiece>& pieces) {
  size_t count = 0;
  for (const LinePiece& piece : pieces) count += piece.points.size();
  return count;
}

LinePiece Thin(const LinePiece& piece, double coarseness) {
  if (piece.points.size() <= 2) return {piece.points, {}};
  if (RunsAlongX(piece)) {
    return {ColumnExtremes(piece.points, coarseness * kFinestColumn), {}};
  }
  return {SimplifyLine(piece.points, coarseness * kInvisible), {}};
}

// Of lone points that share a square of `cell_px`, the first.
void DropCrowdedDots(std::vector<LinePiece>& pieces, double cell_px) {
  std::set<std::pair<double, double>> taken;
  std::erase_if(pieces, [&](const LinePiece& piece) {
    if (piece.points.size() != 1) return false;
    const Point point = piece.points[0];
    return !taken.emplace(std::floor(point.x / cell_px), std::floor(point.y / cell_px)).second;
  });
}

// For what no distance thins, jumps across the whole figure: whole pieces where there are many, else every
// n-th point of each.
std::vector<LinePiece> EvenSample(const std::vector<LinePiece>& pieces, size_t budget) {
  const size_t stride = CountPoints(pieces) / std::max<size_t>(budget, 1) + 1;
  std::vector<LinePiece> sample;
  if (pieces.size() > budget / 4) {
    for (size_t i = 0; i < pieces.size(); i += stride) sample.push_back(pieces[i]);
    return sample;
  }
  for (const LinePiece& piece : pieces) {
    LinePiece& thinned = sample.emplace_back();
    for (size_t i = 0; i < piece.points.size(); i += stride) {
      thinned.points.push_back(piece.points[i]);
    }
  }
  return sample;
}

}  // namespace

std::vector<LinePiece> SplitAtGaps(std::span<const Point> points, std::span<const double> values) {
  std::vector<LinePiece> pieces;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!IsFinite(points[i])) continue;
    if (i == 0 || !IsFinite(points[i - 1])) {
      pieces.emplace_back();
    } else if (!values.empty()) {
      pieces.back().values.push_back(values[i - 1]);
    }
    pieces.back().points.push_back(points[i]);
  }
  return pieces;
}

std::vector<Point> ColumnExtremes(std::span<const Point> points, double column_px) {
  std::vector<Point> kept;
  size_t begin = 0;
  while (begin < points.size()) {
    const double column = std::floor(points[begin].x / column_px);
    size_t lowest = begin;
    size_t highest = begin;
    size_t end = begin;
    for (; end < points.size() && std::floor(points[end].x / column_px) == column; ++end) {
      if (points[end].y < points[lowest].y) lowest = end;
      if (points[end].y > points[highest].y) highest = end;
    }
    std::array<size_t, 4> indices = {begin, lowest, highest, end - 1};
    std::sort(indices.begin(), indices.end());
    const auto* last = std::unique(indices.begin(), indices.end());
    for (const auto* index = indices.begin(); index != last; ++index) kept.push_back(points[*index]);
    begin = end;
  }
  return kept;
}

// Walks along while one ray from the last point kept can still pass all points since then: each narrows the
// sector of directions that the ray may have.
std::vector<Point> SimplifyLine(std::span<const Point> points, double tolerance_px) {
  std::vector<Point> kept;
  if (points.empty()) return kept;
  kept.push_back(points[0]);
  double reference = 0.0;  // direction that `low` and `high` are relative to, in rad
  double low = 0.0;
  double high = 0.0;
  double reached = 0.0;  // px from the last point kept; 0 while no direction is known
  for (size_t i = 1; i < points.size(); ++i) {
    for (int attempt = 0; attempt < 2; ++attempt) {
      const Point delta{points[i].x - kept.back().x, points[i].y - kept.back().y};
      const double distance = std::hypot(delta.x, delta.y);
      if (reached == 0.0 && distance <= tolerance_px) break;
      const double direction = std::atan2(delta.y, delta.x);
      const double half_sector = std::asin(std::min(1.0, tolerance_px / std::max(distance, 1e-300)));
      if (reached == 0.0) {
        reference = direction;
        low = -half_sector;
        high = half_sector;
        reached = distance;
        break;
      }
      const double turn = std::remainder(direction - reference, 2 * std::numbers::pi);
      if (turn >= low && turn <= high && distance >= reached) {
        low = std::max(low, turn - half_sector);
        high = std::min(high, turn + half_sector);
        reached = distance;
        break;
      }
      kept.push_back(points[i - 1]);
      reached = 0.0;
    }
  }
  if (points.size() > 1) kept.push_back(points.back());
  return kept;
}

std::vector<LinePiece> CutByLength(const LinePiece& piece, double length_px) {
  std::vector<LinePiece> cuts;
  double length = 0.0;
  double sum = 0.0;
  int count = 0;  // of finite values in `sum`
  for (size_t i = 0; i < piece.values.size(); ++i) {
    const Point from = piece.points[i];
    const Point to = piece.points[i + 1];
    if (cuts.empty() || !cuts.back().values.empty()) cuts.push_back({{from}, {}});
    cuts.back().points.push_back(to);
    length += std::hypot(to.x - from.x, to.y - from.y);
    if (std::isfinite(piece.values[i])) {
      sum += piece.values[i];
      ++count;
    }
    if (length >= length_px || i + 1 == piece.values.size()) {
      cuts.back().values = {count > 0 ? sum / count : std::nan("")};
      length = sum = 0.0;
      count = 0;
    }
  }
  return cuts;
}

std::vector<LinePiece> Decimate(const std::vector<LinePiece>& pieces, size_t budget) {
  std::vector<LinePiece> thinned;
  double coarseness = 1.0;
  for (int round = 0; round < kRounds; ++round, coarseness *= 2.0) {
    thinned.clear();
    for (const LinePiece& piece : pieces) thinned.push_back(Thin(piece, coarseness));
    DropCrowdedDots(thinned, coarseness * kInvisible);
    if (CountPoints(thinned) <= budget) return thinned;
  }
  return EvenSample(thinned, budget);
}

}  // namespace calfvo
