// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/panel.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "eval/plot/legend.h"
#include "eval/plot/series_lines.h"

namespace calfvo {
namespace {

constexpr double kTickSize = 11.0;  // px of text, and px below
constexpr double kLabelSize = 12.5;
constexpr double kTickLength = 4.0;
constexpr double kTickGap = 3.0;   // between tick mark and label
constexpr double kLabelGap = 8.0;  // between tick labels and the axis label
constexpr double kBarGap = 16.0;   // between axes and colour bar
constexpr double kBarWidth = 12.0;
constexpr double kDataMargin = 0.05;    // of the data's span, free on either side
constexpr double kMiddleOfText = 0.36;  // of the text size: from the baseline up to the middle of a digit

double WidestLabel(const Ticks& ticks) {
  double width = 0.0;
  for (const std::string& label : ticks.labels) width = std::max(width, TextWidth(label, kTickSize));
  return width;
}

// A line of 1 px through the middle of pixels is sharp.
double Crisp(double px) {
  return std::floor(px) + 0.5;
}

Ticks TicksAlongX(const Axis& axis) {
  const double width = std::abs(axis.px_high - axis.px_low);
  for (int wanted = static_cast<int>(std::clamp(width / 80.0, 3.0, 9.0));; --wanted) {
    Ticks ticks = NiceTicks(axis.range, wanted);
    if (ticks.values.size() < 2) return ticks;
    const double distance = axis.ToPixel(ticks.values[1]) - axis.ToPixel(ticks.values[0]);
    const double needed = WidestLabel(ticks) + 8.0;
    if (needed <= distance) return ticks;
    if (wanted > 3) continue;
    // Not even three long labels fit: keep every n-th.
    const auto stride = static_cast<size_t>(std::clamp(needed / distance + 1.0, 2.0, 32.0));
    for (size_t i = 0; i < ticks.labels.size(); ++i) {
      if (i % stride != 0) ticks.labels[i].clear();
    }
    return ticks;
  }
}

Ticks TicksAlongY(const Axis& axis) {
  const double height = std::abs(axis.px_high - axis.px_low);
  return NiceTicks(axis.range, static_cast<int>(std::clamp(height / 42.0, 3.0, 8.0)));
}

void Line(Point from, Point to, const Stroke& stroke, Canvas& canvas) {
  const Point points[] = {from, to};
  canvas.Polyline(points, stroke);
}

void DrawGrid(const PanelLayout& layout, Canvas& canvas) {
  const Rect& box = layout.box;
  for (const double value : layout.x_ticks.values) {
    const double x = Crisp(layout.x.ToPixel(value));
    Line({x, box.top}, {x, box.bottom}, {kGridGrey, 1.0}, canvas);
  }
  for (const double value : layout.y_ticks.values) {
    const double y = Crisp(layout.y.ToPixel(value));
    Line({box.left, y}, {box.right, y}, {kGridGrey, 1.0}, canvas);
  }
}

void DrawAxes(const Panel& panel, const PanelLayout& layout, double left_edge, Canvas& canvas) {
  const Rect& box = layout.box;
  const double left = Crisp(box.left);
  const double bottom = Crisp(box.bottom);
  const Stroke stroke{kFrameGrey, 1.0};
  for (size_t i = 0; i < layout.x_ticks.values.size(); ++i) {
    const double x = Crisp(layout.x.ToPixel(layout.x_ticks.values[i]));
    Line({x, bottom}, {x, bottom + kTickLength}, stroke, canvas);
    canvas.Text({x, bottom + kTickLength + kTickGap + 0.8 * kTickSize}, layout.x_ticks.labels[i],
                {.size = kTickSize, .anchor = TextAnchor::kMiddle});
  }
  for (size_t i = 0; i < layout.y_ticks.values.size(); ++i) {
    const double y = Crisp(layout.y.ToPixel(layout.y_ticks.values[i]));
    Line({left - kTickLength, y}, {left, y}, stroke, canvas);
    canvas.Text({left - kTickLength - kTickGap, y + kMiddleOfText * kTickSize}, layout.y_ticks.labels[i],
                {.size = kTickSize, .anchor = TextAnchor::kEnd});
  }
  const Point corner[] = {{left, box.top}, {left, bottom}, {box.right, bottom}};
  canvas.Polyline(corner, stroke);
  canvas.Text({(box.left + box.right) / 2,
               bottom + kTickLength + kTickGap + kTickSize + kLabelGap + 0.75 * kLabelSize},
              panel.x_label, {.size = kLabelSize, .anchor = TextAnchor::kMiddle});
  canvas.Text({left_edge + kLabelSize, (box.top + box.bottom) / 2}, panel.y_label,
              {.size = kLabelSize, .anchor = TextAnchor::kMiddle, .upwards = true});
}

void DrawColorBar(const ColorBar& color_bar, const PanelLayout& layout, Canvas& canvas) {
  const Rect& box = layout.box;
  const double left = Crisp(box.right + kBarGap);
  const double right = left + kBarWidth;
  canvas.FillColorMap({left, box.top, right, box.bottom});
  for (size_t i = 0; i < layout.bar_ticks.values.size(); ++i) {
    const double y = Crisp(layout.bar.ToPixel(layout.bar_ticks.values[i]));
    Line({right, y}, {right + kTickLength, y}, {kFrameGrey, 1.0}, canvas);
    canvas.Text({right + kTickLength + kTickGap, y + kMiddleOfText * kTickSize}, layout.bar_ticks.labels[i],
                {.size = kTickSize});
  }
  const double labels_right = right + kTickLength + kTickGap + WidestLabel(layout.bar_ticks);
  canvas.Text({labels_right + kLabelGap + 0.75 * kLabelSize, (box.top + box.bottom) / 2}, color_bar.label,
              {.size = kLabelSize, .anchor = TextAnchor::kMiddle, .upwards = true});
}

std::vector<SeriesLines> MakeLines(const Panel& panel, const PanelLayout& layout,
                                   std::span<const size_t> budgets) {
  std::vector<SeriesLines> lines;
  for (size_t i = 0; i < panel.series.size(); ++i) {
    lines.push_back(MakeSeriesLines(panel.series[i], layout.x, layout.y, layout.bar.range, budgets[i]));
  }
  return lines;
}

// Widens `range` about its middle.
void Widen(Range& range, double factor) {
  const double more = range.span() * (factor - 1.0) / 2;
  range.low -= more;
  range.high += more;
}

}  // namespace

PanelLayout LayOutPanel(const Panel& panel, const Rect& box, double headroom_px) {
  Extent x_extent;
  Extent y_extent;
  for (const Series& series : panel.series) {
    for (size_t i = 0; i < series.x.size(); ++i) {
      if (!IsPlottable(series.x[i]) || !IsPlottable(series.y[i])) continue;
      x_extent.Add(series.x[i]);
      y_extent.Add(series.y[i]);
    }
  }
  Range x = ShownRange(x_extent, panel.equal_aspect ? kDataMargin : 0.01);
  Range y = ShownRange(y_extent, kDataMargin);
  const double data_height = box.height() - headroom_px;
  if (panel.equal_aspect) {
    const double x_per_px = x.span() / box.width();
    const double y_per_px = y.span() / data_height;
    if (x_per_px < y_per_px) {
      Widen(x, y_per_px / x_per_px);
    } else {
      Widen(y, x_per_px / y_per_px);
    }
  }
  const double headroom = y.span() * headroom_px / data_height;
  if (panel.y_down) {
    y.low -= headroom;
  } else {
    y.high += headroom;
  }

  PanelLayout layout;
  layout.box = box;
  layout.x = {x, box.left, box.right};
  layout.y = panel.y_down ? Axis{y, box.top, box.bottom} : Axis{y, box.bottom, box.top};
  layout.x_ticks = TicksAlongX(layout.x);
  layout.y_ticks = TicksAlongY(layout.y);
  if (panel.color_bar) {
    Extent colors;
    for (const double end : {panel.color_bar->min, panel.color_bar->max}) {
      if (IsPlottable(end)) colors.Add(end);
    }
    layout.bar = {ShownRange(colors, 0.0), box.bottom, box.top};
    layout.bar_ticks = TicksAlongY(layout.bar);
  }
  return layout;
}

Margins PanelMargins(const Panel& panel, const PanelLayout& layout) {
  Margins margins;
  margins.left = kTickLength + kTickGap + WidestLabel(layout.y_ticks);
  if (!panel.y_label.empty()) margins.left += kLabelGap + kLabelSize;
  margins.right =
      layout.x_ticks.labels.empty() ? 0.0 : TextWidth(layout.x_ticks.labels.back(), kTickSize) / 2;
  if (panel.color_bar) {
    margins.right = kBarGap + kBarWidth + kTickLength + kTickGap + WidestLabel(layout.bar_ticks);
    if (!panel.color_bar->label.empty()) margins.right += kLabelGap + kLabelSize;
  }
  margins.top = 0.5 * kTickSize;
  margins.bottom = kTickLength + kTickGap + kTickSize;
  if (!panel.x_label.empty()) margins.bottom += kLabelGap + kLabelSize;
  return margins;
}

void DrawPanel(const Panel& panel, const Rect& box, double left_edge, std::span<const size_t> budgets,
               Canvas& canvas) {
  PanelLayout layout = LayOutPanel(panel, box, 0.0);
  std::vector<SeriesLines> lines = MakeLines(panel, layout, budgets);
  Legend legend(panel, false);
  Legend::Place place = legend.FindPlace(box, lines);
  if (!legend.empty() && place.overlap > 0.0) {
    // No corner is free: make room above the data.
    const Legend row(panel, true);
    if (row.width() + 16.0 < box.width()) legend = row;
    const double headroom = legend.height() + 12.0;
    if (headroom < box.height() / 2) {
      layout = LayOutPanel(panel, box, headroom);
      lines = MakeLines(panel, layout, budgets);
    }
    place = legend.FindPlace(box, lines);
  }

  DrawGrid(layout, canvas);
  for (size_t i = 0; i < panel.series.size(); ++i) DrawSeriesLines(panel.series[i], lines[i], canvas);
  DrawAxes(panel, layout, left_edge, canvas);
  if (panel.color_bar) DrawColorBar(*panel.color_bar, layout, canvas);
  if (!legend.empty()) legend.Draw(place.rect, canvas);
}

}  // namespace calfvo
