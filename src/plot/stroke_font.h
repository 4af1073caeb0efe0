// SPDX-License-Identifier: Apache-2.0
// A font of strokes, for text in pictures and for measuring text in layouts. It knows printable ASCII, ° and
// σ; other characters show as a box. Proportions are close to those of common sans-serif fonts, so that a
// layout made with it also fits an SVG drawn with the reader's font.
#pragma once

#include <string_view>
#include <vector>

#include "plot/canvas.h"

namespace calfvo {

// Width of `text` (UTF-8) in px at `size` px per em.
double TextWidth(std::string_view text, double size);

// How much wider than ours a reader's font may run.
inline constexpr double kFontSlack = 1.06;

// Width of the pen for text of that size, in px.
double TextPenWidth(double size);

// The strokes of `text`, in px at `size` px per em, with the baseline starting at (0, 0) and y down.
std::vector<std::vector<Point>> TextStrokes(std::string_view text, double size);

}  // namespace calfvo
