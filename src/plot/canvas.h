// SPDX-License-Identifier: Apache-2.0
// The drawing surface that figures are drawn on, whatever becomes of it.
#pragma once

#include <cmath>
#include <span>
#include <string_view>

#include "plot/color.h"

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
  double size = 12.0;  // px per em; capitals are about 0.72 of it high
  Color color = kInk;
  TextAnchor anchor = TextAnchor::kStart;
  int rotation_deg = 0;  // 0, or 90 for text that reads upwards
};

// Draws in painter's order. Points that are not finite break a line and are left out of a polygon.
class Canvas {
 public:
  virtual ~Canvas() = default;

  virtual double width() const = 0;
  virtual double height() const = 0;

  // A line through `points`; a single point gives a dot.
  virtual void Polyline(std::span<const Point> points, const Stroke& stroke) = 0;

  // The inside of the closed polygon, by the non-zero winding rule.
  virtual void Fill(std::span<const Point> polygon, Color color) = 0;

  // UTF-8 text whose baseline starts, is centred or ends at `position`.
  virtual void Text(Point position, std::string_view text, const TextStyle& style) = 0;

  // Until the matching PopClip, nothing is drawn outside `rect` nor outside the clip in force before.
  virtual void PushClip(const Rect& rect) = 0;
  virtual void PopClip() = 0;

  void FillRect(const Rect& rect, Color color);
};

inline void Canvas::FillRect(const Rect& rect, Color color) {
  const Point corners[] = {
      {rect.left, rect.top}, {rect.right, rect.top}, {rect.right, rect.bottom}, {rect.left, rect.bottom}};
  Fill(corners, color);
}

}  // namespace calfvo
