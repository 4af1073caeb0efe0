// SPDX-License-Identifier: Apache-2.0
// A page to draw figures on, which becomes a PNG or an SVG file: a thin layer over cairo.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/image/image_view.h"
#include "eval/plot/color.h"

typedef struct _cairo cairo_t;

namespace calfvo {

// In px from the upper left corner, x right, y down.
struct Point {
  double x = 0.0;
  double y = 0.0;
};
inline bool IsFinite(Point point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

struct Rect {
  double left = 0.0;
  double top = 0.0;
  double right = 0.0;
  double bottom = 0.0;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

// Lines have round joins and round ends; so have dashes, which are therefore `width` longer than `dash_on`.
struct Stroke {
  Color color;
  double width = 1.0;     // px
  double dash_on = 0.0;   // px drawn, then `dash_off` px left out; 0 for a solid line
  double dash_off = 0.0;  // px
};

enum class TextAnchor { kStart, kMiddle, kEnd };

struct TextStyle {
  double size = 12.0;  // px per em; capitals are about 0.73 of it high
  Color color = kInk;
  TextAnchor anchor = TextAnchor::kStart;
  bool upwards = false;  // rotated by 90° to read from bottom to top
};

// Width of `text` (UTF-8) in px at `size` px per em.
double TextWidth(std::string_view text, double size);

// Draws in painter's order on white. Coordinates are finite and clamped to a million px around the page.
// Text is UTF-8 in DejaVu Sans, or in the font that fontconfig has for it; invalid bytes show as "?".
class Canvas {
 public:
  enum class Format { kPng, kSvg };

  // `width` and `height` are in the px of the drawing calls; a PNG has `scale` pixels per px.
  Canvas(Format format, int width, int height, int scale = 1);

  int width() const { return width_; }
  int height() const { return height_; }

  // A line through `points`; a single point gives a dot.
  void Polyline(std::span<const Point> points, const Stroke& stroke);

  // The inside of the closed polygon, by the non-zero winding rule.
  void Fill(std::span<const Point> polygon, Color color);
  void FillRect(const Rect& rect, Color color);

  // The whole colour map, from its start at the bottom to its end at the top.
  void FillColorMap(const Rect& rect);

  // The baseline starts, is centred or ends at `position`.
  void Text(Point position, std::string_view text, const TextStyle& style);

  // An RGB image with one pixel per px.
  void Image(Point left_top, const ImageView& rgb);

  // The bytes of the file; ends the drawing. Throws Error when cairo failed at any call. The same calls give
  // the same bytes with the same fonts and version of cairo.
  std::string Finish();

 private:
  struct Destroy {
    void operator()(cairo_t* cairo) const;
  };

  void Path(std::span<const Point> points);
  void SetColor(Color color);

  int width_;
  int height_;
  Format format_;
  std::unique_ptr<std::string> svg_;  // which cairo writes to, at an address that stays
  std::unique_ptr<cairo_t, Destroy> cairo_;
};

}  // namespace calfvo
