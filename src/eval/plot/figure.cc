// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "calfvo/error.h"
#include "core/base/atomic_file.h"
#include "eval/plot/canvas.h"
#include "eval/plot/panel.h"
#include "eval/plot/series_lines.h"

namespace calfvo {
namespace {

constexpr double kTitleSize = 14.0;      // px
constexpr double kOuterMargin = 14.0;    // px
constexpr double kPanelGap = 14.0;       // px between a panel's labels and the next panel
constexpr double kSmallestAxes = 40.0;   // px; a figure too small for its labels overflows rather than fails
constexpr int kPixelsPerPx = 2;          // of PNGs
constexpr size_t kPointBudget = 18000;   // of a figure; about 24 bytes each in an SVG
constexpr size_t kSmallestBudget = 200;  // of a series

void Check(const Figure& figure) {
  if (std::min(figure.width, figure.height) < 100 || std::max(figure.width, figure.height) > 10000) {
    throw Error(fmt::format("a figure of {}x{} px is out of range: 100 to 10000 px expected", figure.width,
                            figure.height));
  }
  for (const Panel& panel : figure.panels) {
    for (const Series& series : panel.series) {
      if (series.x.size() != series.y.size()) {
        throw Error(fmt::format("series \"{}\" has {} x and {} y values: as many of each expected",
                                series.label, series.x.size(), series.y.size()));
      }
      if (series.values.empty()) continue;
      if (series.values.size() + 1 != series.x.size()) {
        throw Error(fmt::format("series \"{}\" has {} points and {} values: one value per segment expected",
                                series.label, series.x.size(), series.values.size()));
      }
      if (!panel.color_bar) {
        throw Error(
            fmt::format("series \"{}\" is coloured by value: its panel needs a colour bar", series.label));
      }
    }
  }
}

// The rectangles inside the axes: equal in height, and aligned left and right.
std::vector<Rect> StackBoxes(const Rect& area, std::span<const Margins> margins) {
  Margins widest;
  double free_height = area.height() + kPanelGap;
  for (const Margins& own : margins) {
    widest.left = std::max(widest.left, own.left);
    widest.right = std::max(widest.right, own.right);
    free_height -= own.top + own.bottom + kPanelGap;
  }
  const double height = std::max(kSmallestAxes, free_height / static_cast<double>(margins.size()));
  const double left = area.left + widest.left;
  const double right = std::max(left + kSmallestAxes, area.right - widest.right);
  std::vector<Rect> boxes;
  double top = area.top;
  for (const Margins& own : margins) {
    top += own.top;
    boxes.push_back({left, top, right, top + height});
    top += height + own.bottom + kPanelGap;
  }
  return boxes;
}

// Margins depend on labels, which depend on ranges, which for equal aspect depend on the boxes, which depend
// on margins: the second round is close enough to stop at.
std::vector<Rect> LayOutBoxes(const Figure& figure, const Rect& area) {
  std::vector<Margins> margins(figure.panels.size(), Margins{60.0, 20.0, 5.0, 40.0});
  for (int round = 0; round < 2; ++round) {
    const std::vector<Rect> boxes = StackBoxes(area, margins);
    for (size_t i = 0; i < boxes.size(); ++i) {
      margins[i] = PanelMargins(figure.panels[i], LayOutPanel(figure.panels[i], boxes[i], 0.0));
    }
  }
  return StackBoxes(area, margins);
}

// Points for each series of each panel: small series take what they want and leave more to the large ones.
std::vector<std::vector<size_t>> ShareBudget(const Figure& figure) {
  std::vector<std::vector<size_t>> budgets;
  std::vector<size_t*> ascending;
  for (const Panel& panel : figure.panels) {
    std::vector<size_t>& own = budgets.emplace_back();
    for (const Series& series : panel.series) own.push_back(PointsWanted(series));
  }
  for (std::vector<size_t>& own : budgets) {
    for (size_t& budget : own) ascending.push_back(&budget);
  }
  std::sort(ascending.begin(), ascending.end(), [](const size_t* a, const size_t* b) { return *a < *b; });
  size_t left = kPointBudget;
  for (size_t i = 0; i < ascending.size(); ++i) {
    const size_t share = left / (ascending.size() - i);
    *ascending[i] = std::max(kSmallestBudget, std::min(*ascending[i], share));
    left -= std::min(left, *ascending[i]);
  }
  return budgets;
}

std::string Render(const Figure& figure, Canvas::Format format) {
  Check(figure);
  Canvas canvas(format, figure.width, figure.height, kPixelsPerPx);
  Rect area{kOuterMargin, kOuterMargin, figure.width - kOuterMargin, figure.height - kOuterMargin};
  if (!figure.title.empty()) {
    canvas.Text({figure.width / 2.0, area.top + 0.8 * kTitleSize}, figure.title,
                {.size = kTitleSize, .anchor = TextAnchor::kMiddle});
    area.top += 1.6 * kTitleSize;
  }
  if (!figure.panels.empty()) {
    const std::vector<std::vector<size_t>> budgets = ShareBudget(figure);
    const std::vector<Rect> boxes = LayOutBoxes(figure, area);
    for (size_t i = 0; i < boxes.size(); ++i) {
      DrawPanel(figure.panels[i], boxes[i], area.left, budgets[i], canvas);
    }
  }
  return canvas.Finish();
}

}  // namespace

std::string RenderSvg(const Figure& figure) {
  return Render(figure, Canvas::Format::kSvg);
}

std::string RenderPng(const Figure& figure) {
  return Render(figure, Canvas::Format::kPng);
}

void WriteFigure(const Figure& figure, const std::filesystem::path& stem) {
  const auto with = [&](const char* extension) { return std::filesystem::path(stem) += extension; };
  WriteFileAtomically(with(".svg"), RenderSvg(figure));
  WriteFileAtomically(with(".png"), RenderPng(figure));
}

}  // namespace calfvo
