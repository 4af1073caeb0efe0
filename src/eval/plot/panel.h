// SPDX-License-Identifier: Apache-2.0
// One pair of axes: what it shows, how much room its labels need, and drawing it.
#pragma once

#include <cstddef>
#include <span>

#include "eval/plot/axis.h"
#include "eval/plot/canvas.h"
#include "eval/plot/figure.h"
#include "eval/plot/ticks.h"

namespace calfvo {

// px around the axes for ticks, labels and colour bar.
struct Margins {
  double left = 0.0;
  double right = 0.0;
  double top = 0.0;
  double bottom = 0.0;
};

struct PanelLayout {
  Rect box;  // inside the axes
  Axis x;
  Axis y;
  Axis bar;  // of the colour bar; along y
  Ticks x_ticks;
  Ticks y_ticks;
  Ticks bar_ticks;
};

// Ranges and ticks for axes around `box`, with the upper `headroom_px` of it left free of data.
PanelLayout LayOutPanel(const Panel& panel, const Rect& box, double headroom_px);

Margins PanelMargins(const Panel& panel, const PanelLayout& layout);

// Draws axes, lines, legend and colour bar. The y label starts at `left_edge`, in px, so that those of
// several panels line up. `budgets` gives the points that each series may take.
void DrawPanel(const Panel& panel, const Rect& box, double left_edge, std::span<const size_t> budgets,
               Canvas& canvas);

}  // namespace calfvo
