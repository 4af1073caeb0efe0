// SPDX-License-Identifier: Apache-2.0
// Figures of lines, for trajectories seen from above and for errors over time: the same figure as SVG and as
// PNG.
//
//   Series truth{.x = ..., .y = ..., .label = "ground truth", .color = kReferenceGrey, .dashed = true};
//   Series estimate{.x = ..., .y = ..., .label = "estimate", .values = error_per_segment};
//   Panel panel{.x_label = "x (m)", .y_label = "y (m)", .equal_aspect = true};
//   panel.series = {truth, estimate};
//   panel.color_bar = ColorBar{"error (m)", 0.0, 1.5};
//   WriteFigure({.title = "KITTI 00", .panels = {panel}}, "out/trajectory");
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eval/plot/color.h"

namespace calfvo {

// A line through (x[i], y[i]). Where a coordinate is not finite (or beyond ±1e100) the line is broken; a
// point between two breaks is drawn as a dot.
struct Series {
  std::vector<double> x = {};
  std::vector<double> y = {};
  std::string label = {};  // in the legend; empty to stay out of it
  Color color = PaletteColor(0);
  double width = 1.5;  // px
  bool dashed = false;
  // Empty, or one number per segment, x.size() - 1 in all: segment i, from point i to point i + 1, takes the
  // colour map's colour for values[i] between the panel's colour bar's min and max, which it then needs.
  std::vector<double> values = {};
  bool start_marker = false;  // a circle at the first point
  bool end_marker = false;    // a square at the last point
};

// The scale of coloured series, drawn to the right of the panel.
struct ColorBar {
  std::string label = {};
  double min = 0.0;
  double max = 1.0;
};

// One pair of axes that shows all of its series.
struct Panel {
  std::string x_label = {};
  std::string y_label = {};
  bool equal_aspect = false;  // one unit is as long along x as along y
  bool y_down = false;        // y grows from top to bottom
  std::vector<Series> series = {};
  bool legend = true;  // drawn if a series has a label, where it covers no data
  std::optional<ColorBar> color_bar = {};
};

// Panels are stacked from top to bottom, with equal heights and aligned axes.
struct Figure {
  std::string title = {};
  int width = 800;   // px
  int height = 500;  // px
  std::vector<Panel> panels = {};
};

// The bytes of an SVG and of a PNG file. The PNG has two pixels per px. Long series are thinned to what can
// be seen. Both throw Error when a series' vectors do not fit together, when a coloured series has no colour
// bar, and when the figure's size is not within 100 to 10000 px. The same figure gives the same bytes.
std::string RenderSvg(const Figure& figure);
std::string RenderPng(const Figure& figure);

// Writes `stem`.svg and `stem`.png, each whole or not at all.
void WriteFigure(const Figure& figure, const std::filesystem::path& stem);

}  // namespace calfvo
