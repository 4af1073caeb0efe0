// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/legend.h"

#include <algorithm>
#include <cmath>

namespace calfvo {
namespace {

constexpr double kTextSize = 11.5;  // px, as are all of these
constexpr double kRowHeight = 17.0;
constexpr double kPadding = 7.0;  // inside the frame
constexpr double kInset = 8.0;    // between the frame and the axes
constexpr double kSampleLength = 24.0;
constexpr double kSampleGap = 7.0;  // between a sample and its label
constexpr double kEntryGap = 16.0;  // between entries side by side

double EntryWidth(const Series& series) {
  return kSampleLength + kSampleGap + TextWidth(series.label, kTextSize);
}

// Length of the lines within `rect`, by steps of about 2 px.
double LengthInside(const Rect& rect, std::span<const SeriesLines> series) {
  double length = 0.0;
  const auto inside = [&](Point p) {
    return p.x >= rect.left && p.x <= rect.right && p.y >= rect.top && p.y <= rect.bottom;
  };
  for (const SeriesLines& lines : series) {
    for (const ColoredLine& line : lines.lines) {
      if (inside(line.points[0])) length += 1.0;
      for (size_t i = 1; i < line.points.size(); ++i) {
        const Point a = line.points[i - 1];
        const Point b = line.points[i];
        const double distance = std::hypot(b.x - a.x, b.y - a.y);
        const int steps = static_cast<int>(std::clamp(distance / 2.0, 0.0, 1e4)) + 1;
        for (int k = 1; k <= steps; ++k) {
          const double t = static_cast<double>(k) / steps;
          if (inside({a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)})) length += distance / steps;
        }
      }
    }
  }
  return length;
}

void DrawSample(const Series& series, Point left, Canvas& canvas) {
  if (series.values.empty()) {
    const Point line[] = {left, {left.x + kSampleLength, left.y}};
    canvas.Polyline(line, SeriesStroke(series, series.color));
    return;
  }
  constexpr int kPieces = 12;
  for (int i = 0; i < kPieces; ++i) {
    const Point line[] = {{left.x + kSampleLength * i / kPieces, left.y},
                          {left.x + kSampleLength * (i + 1) / kPieces, left.y}};
    canvas.Polyline(line, {ColorMap((i + 0.5) / kPieces), series.width});
  }
}

}  // namespace

Legend::Legend(const Panel& panel, bool side_by_side) : side_by_side_(side_by_side) {
  if (!panel.legend) return;
  for (const Series& series : panel.series) {
    if (!series.label.empty()) entries_.push_back(&series);
  }
  if (entries_.empty()) return;
  for (const Series* series : entries_) {
    const double entry = EntryWidth(*series);
    width_ = side_by_side ? width_ + entry + kEntryGap : std::max(width_, entry);
  }
  if (side_by_side) width_ -= kEntryGap;
  width_ += 2 * kPadding;
  height_ = kRowHeight * (side_by_side ? 1.0 : static_cast<double>(entries_.size())) + kPadding;
}

Legend::Place Legend::FindPlace(const Rect& box, std::span<const SeriesLines> lines) const {
  Place best{{}, INFINITY};
  for (const bool top : {true, false}) {
    for (const bool right : {true, false}) {
      const double x = right ? box.right - kInset - width_ : box.left + kInset;
      const double y = top ? box.top + kInset : box.bottom - kInset - height_;
      const Rect rect{x, y, x + width_, y + height_};
      const double overlap = LengthInside({x - 4.0, y - 4.0, rect.right + 4.0, rect.bottom + 4.0}, lines);
      if (overlap < best.overlap) best = {rect, overlap};
    }
  }
  return best;
}

void Legend::Draw(const Rect& rect, Canvas& canvas) const {
  canvas.FillRect(rect, {255, 255, 255, 225});
  const Point frame[] = {{rect.left, rect.top},
                         {rect.right, rect.top},
                         {rect.right, rect.bottom},
                         {rect.left, rect.bottom},
                         {rect.left, rect.top}};
  canvas.Polyline(frame, {{200, 203, 208}, 0.75});
  double x = rect.left + kPadding;
  double y = rect.top + kPadding / 2 + kRowHeight / 2;
  for (const Series* series : entries_) {
    DrawSample(*series, {x, y}, canvas);
    canvas.Text({x + kSampleLength + kSampleGap, y + 0.36 * kTextSize}, series->label, {.size = kTextSize});
    if (side_by_side_) {
      x += EntryWidth(*series) + kEntryGap;
    } else {
      y += kRowHeight;
    }
  }
}

}  // namespace calfvo
