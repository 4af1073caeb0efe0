// SPDX-License-Identifier: Apache-2.0
// A canvas that becomes an SVG document.
#pragma once

#include <string>

#include "plot/canvas.h"

namespace calfvo {

// The same calls give the same bytes. Coordinates keep two decimals at most and are clamped to a million px
// around the page. Text stays text, in the reader's sans-serif font.
class SvgCanvas final : public Canvas {
 public:
  SvgCanvas(double width, double height) : width_(width), height_(height) {}

  double width() const override { return width_; }
  double height() const override { return height_; }
  void Polyline(std::span<const Point> points, const Stroke& stroke) override;
  void Fill(std::span<const Point> polygon, Color color) override;
  void Text(Point position, std::string_view text, const TextStyle& style) override;
  void PushClip(const Rect& rect) override;
  void PopClip() override;

  // The document so far, whole and well-formed; clips that are still in force are closed in it.
  std::string Document() const;

 private:
  double width_;
  double height_;
  std::string body_;
  int open_clips_ = 0;
};

// `text` for use inside an element or an attribute. Control characters but line ends, which XML forbids,
// become spaces; what is no UTF-8 becomes U+FFFD.
std::string EscapeXml(std::string_view text);

}  // namespace calfvo
