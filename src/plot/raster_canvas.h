// SPDX-License-Identifier: Apache-2.0
// A canvas that becomes pixels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plot/canvas.h"

namespace calfvo {

// Anti-aliased by coverage: a pixel takes a colour by the share of its area that a shape covers. Every call
// is composited once, so that a translucent line is not darker where it crosses itself. Text is drawn with
// the strokes of stroke_font.h.
class RasterCanvas final : public Canvas {
 public:
  // `width` and `height` are in the px of the drawing calls; the picture has `scale` times as many pixels
  // each way. Throws Error unless the picture has 1 to 32768 pixels each way.
  RasterCanvas(double width, double height, double scale = 1.0, Color background = kWhite);

  double width() const override { return width_; }
  double height() const override { return height_; }
  void Polyline(std::span<const Point> points, const Stroke& stroke) override;
  void Fill(std::span<const Point> polygon, Color color) override;
  void Text(Point position, std::string_view text, const TextStyle& style) override;
  void PushClip(const Rect& rect) override;
  void PopClip() override;

  int pixel_width() const { return pixel_width_; }
  int pixel_height() const { return pixel_height_; }

  // RGBA with straight alpha, row by row from the top, without padding.
  std::span<const uint8_t> pixels() const { return pixels_; }

  Color At(int x, int y) const;

 private:
  // Pixels from (left, top) up to, not including, (right, bottom).
  struct PixelRect {
    int left;
    int top;
    int right;
    int bottom;
  };

  Point ToPixels(Point point) const { return {point.x * scale_, point.y * scale_}; }
  bool ClipSegment(Point a, Point b, double reach, double& t0, double& t1) const;
  void CoverLine(std::span<const Point> points, double half_width, double dash_on, double dash_off);
  void CoverSegment(Point a, Point b, double half_width);
  void Touch(int left, int right, int y);
  void Blend(Color color);

  double width_;
  double height_;
  double scale_;
  int pixel_width_;
  int pixel_height_;
  std::vector<uint8_t> pixels_;
  std::vector<float> coverage_;  // of the shape being drawn; zero outside `touched_`
  PixelRect touched_;
  std::vector<PixelRect> clips_;  // the last is in force
};

}  // namespace calfvo
