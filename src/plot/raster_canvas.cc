// SPDX-License-Identifier: Apache-2.0
#include "plot/raster_canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calfvo/error.h"
#include "plot/stroke_font.h"

namespace calfvo {
namespace {

constexpr double kFarAway = 1e7;  // px; coordinates beyond are moved here, so that arithmetic stays exact
constexpr double kShortestDash = 0.1;  // px; finer patterns are drawn solid

Point Bounded(Point point) {
  return {std::clamp(point.x, -kFarAway, kFarAway), std::clamp(point.y, -kFarAway, kFarAway)};
}

Point Along(Point a, Point b, double t) {
  return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

// `value` rounded down, within [low, high].
int FloorWithin(double value, int low, int high) {
  return static_cast<int>(std::floor(std::clamp(value, static_cast<double>(low), static_cast<double>(high))));
}

int PixelCount(double size, double scale) {
  const double count = std::round(size * scale);
  if (!(count >= 1.0 && count <= 32768.0)) {
    throw Error(fmt::format("a picture side of {} px at scale {} is out of range: 1 to 32768 pixels expected",
                            size, scale));
  }
  return static_cast<int>(count);
}

// Narrows [t0, t1] to where `start + t * delta` is within [low, high].
bool ClipAxis(double start, double delta, double low, double high, double& t0, double& t1) {
  if (delta == 0.0) return start >= low && start <= high;
  const double a = (low - start) / delta;
  const double b = (high - start) / delta;
  t0 = std::max(t0, std::min(a, b));
  t1 = std::min(t1, std::max(a, b));
  return t0 <= t1;
}

}  // namespace

RasterCanvas::RasterCanvas(double width, double height, double scale, Color background)
    : width_(width),
      height_(height),
      scale_(scale),
      pixel_width_(PixelCount(width, scale)),
      pixel_height_(PixelCount(height, scale)),
      pixels_(size_t{4} * pixel_width_ * pixel_height_),
      coverage_(size_t{1} * pixel_width_ * pixel_height_, 0.0F),
      touched_{pixel_width_, pixel_height_, 0, 0},
      clips_{{0, 0, pixel_width_, pixel_height_}} {
  for (size_t i = 0; i < pixels_.size(); i += 4) {
    pixels_[i] = background.r;
    pixels_[i + 1] = background.g;
    pixels_[i + 2] = background.b;
    pixels_[i + 3] = background.a;
  }
}

Color RasterCanvas::At(int x, int y) const {
  const size_t i = 4 * (static_cast<size_t>(y) * pixel_width_ + x);
  return {pixels_[i], pixels_[i + 1], pixels_[i + 2], pixels_[i + 3]};
}

void RasterCanvas::Polyline(std::span<const Point> points, const Stroke& stroke) {
  std::vector<Point> scaled(points.begin(), points.end());
  for (Point& point : scaled) point = ToPixels(point);
  CoverLine(scaled, stroke.width * scale_ / 2, stroke.dash_on * scale_, stroke.dash_off * scale_);
  Blend(stroke.color);
}

void RasterCanvas::Text(Point position, std::string_view text, const TextStyle& style) {
  double shift = 0.0;
  if (style.anchor == TextAnchor::kMiddle) shift = -TextWidth(text, style.size) / 2;
  if (style.anchor == TextAnchor::kEnd) shift = -TextWidth(text, style.size);
  for (std::vector<Point>& stroke : TextStrokes(text, style.size)) {
    for (Point& point : stroke) {
      const Point offset{point.x + shift, point.y};
      const Point turned = style.rotation_deg == 90 ? Point{offset.y, -offset.x} : offset;
      point = ToPixels({position.x + turned.x, position.y + turned.y});
    }
    CoverLine(stroke, TextPenWidth(style.size) * scale_ / 2, 0.0, 0.0);
  }
  Blend(style.color);
}

void RasterCanvas::PushClip(const Rect& rect) {
  const PixelRect& outer = clips_.back();
  PixelRect clip{FloorWithin(rect.left * scale_ + 0.5, outer.left, outer.right),
                 FloorWithin(rect.top * scale_ + 0.5, outer.top, outer.bottom),
                 FloorWithin(rect.right * scale_ + 0.5, outer.left, outer.right),
                 FloorWithin(rect.bottom * scale_ + 0.5, outer.top, outer.bottom)};
  clip.right = std::max(clip.right, clip.left);
  clip.bottom = std::max(clip.bottom, clip.top);
  clips_.push_back(clip);
}

void RasterCanvas::PopClip() {
  if (clips_.size() > 1) clips_.pop_back();
}

// The part [t0, t1] of a segment that can mark pixels inside the clip with a pen that reaches `reach` px.
bool RasterCanvas::ClipSegment(Point a, Point b, double reach, double& t0, double& t1) const {
  const PixelRect& clip = clips_.back();
  t0 = 0.0;
  t1 = 1.0;
  return ClipAxis(a.x, b.x - a.x, clip.left - reach, clip.right + reach, t0, t1) &&
         ClipAxis(a.y, b.y - a.y, clip.top - reach, clip.bottom + reach, t0, t1);
}

void RasterCanvas::CoverLine(std::span<const Point> points, double half_width, double dash_on,
                             double dash_off) {
  if (!(half_width > 0.0 && half_width < kFarAway)) return;
  const double period = dash_on + dash_off;
  const bool dashed = dash_on > 0.0 && dash_off > 0.0 && period > kShortestDash && period < kFarAway;
  double travelled = 0.0;  // since the last gap
  for (size_t i = 0; i < points.size(); ++i) {
    if (!IsFinite(points[i])) continue;
    const bool starts = i == 0 || !IsFinite(points[i - 1]);
    if (starts) travelled = 0.0;
    const bool has_next = i + 1 < points.size() && IsFinite(points[i + 1]);
    if (!has_next && !starts) continue;
    const Point a = Bounded(points[i]);
    const Point b = has_next ? Bounded(points[i + 1]) : a;
    double t0 = 0.0;
    double t1 = 1.0;
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (ClipSegment(a, b, half_width + 1.0, t0, t1)) {
      if (!dashed || length == 0.0) {
        CoverSegment(Along(a, b, t0), Along(a, b, t1), half_width);
      } else {
        double s = t0 * length;
        double phase = std::fmod(travelled + s, period);
        while (s < t1 * length) {
          const bool on = phase < dash_on;
          const double end = std::min(s + (on ? dash_on : period) - phase, t1 * length);
          if (on) CoverSegment(Along(a, b, s / length), Along(a, b, end / length), half_width);
          s = end;
          phase = on ? dash_on : 0.0;
        }
      }
    }
    travelled += length;
  }
}

// Coverage of a pixel by a line is, to within the curvature of its ends, the overlap of the pixel's unit
// width with the pen's width along the normal.
void RasterCanvas::CoverSegment(Point a, Point b, double half_width) {
  const PixelRect& clip = clips_.back();
  const double reach = half_width + 0.5;
  const Point delta{b.x - a.x, b.y - a.y};
  const double squared_length = delta.x * delta.x + delta.y * delta.y;
  const int top = FloorWithin(std::min(a.y, b.y) - reach, clip.top, clip.bottom);
  const int bottom = FloorWithin(std::max(a.y, b.y) + reach + 1.0, clip.top, clip.bottom);
  for (int y = top; y < bottom; ++y) {
    const double center_y = y + 0.5;
    double t0 = 0.0;
    double t1 = 1.0;
    if (!ClipAxis(a.y, delta.y, center_y - reach, center_y + reach, t0, t1)) continue;
    const double x0 = a.x + t0 * delta.x;
    const double x1 = a.x + t1 * delta.x;
    const int left = FloorWithin(std::min(x0, x1) - reach, clip.left, clip.right);
    const int right = FloorWithin(std::max(x0, x1) + reach + 1.0, clip.left, clip.right);
    if (left >= right) continue;
    Touch(left, right, y);
    float* row = coverage_.data() + static_cast<size_t>(y) * pixel_width_;
    for (int x = left; x < right; ++x) {
      const Point from_a{x + 0.5 - a.x, center_y - a.y};
      const double along =
          squared_length > 0.0
              ? std::clamp((from_a.x * delta.x + from_a.y * delta.y) / squared_length, 0.0, 1.0)
              : 0.0;
      const double distance = std::hypot(from_a.x - along * delta.x, from_a.y - along * delta.y);
      const double covered = std::min(distance + 0.5, half_width) - std::max(distance - 0.5, -half_width);
      row[x] = std::max(row[x], static_cast<float>(covered));
    }
  }
}

// Eight lines of sight through each row of pixels; along them coverage is exact.
void RasterCanvas::Fill(std::span<const Point> polygon, Color color) {
  constexpr int kSubRows = 8;
  std::vector<Point> corners;
  for (const Point& point : polygon) {
    if (IsFinite(point)) corners.push_back(Bounded(ToPixels(point)));
  }
  if (corners.size() < 3) return;
  const PixelRect& clip = clips_.back();
  const auto [lowest, highest] =
      std::minmax_element(corners.begin(), corners.end(), [](Point a, Point b) { return a.y < b.y; });
  const int top = FloorWithin(lowest->y, clip.top, clip.bottom);
  const int bottom = FloorWithin(highest->y + 1.0, clip.top, clip.bottom);
  struct Crossing {
    double x;
    int direction;
  };
  std::vector<Crossing> crossings;
  for (int y = top; y < bottom; ++y) {
    float* row = coverage_.data() + static_cast<size_t>(y) * pixel_width_;
    for (int sub_row = 0; sub_row < kSubRows; ++sub_row) {
      const double level = y + (sub_row + 0.5) / kSubRows;
      crossings.clear();
      for (size_t i = 0; i < corners.size(); ++i) {
        const Point a = corners[i];
        const Point b = corners[(i + 1) % corners.size()];
        if ((a.y <= level) == (b.y <= level)) continue;
        crossings.push_back({a.x + (level - a.y) / (b.y - a.y) * (b.x - a.x), a.y < b.y ? 1 : -1});
      }
      std::sort(crossings.begin(), crossings.end(), [](Crossing a, Crossing b) { return a.x < b.x; });
      int winding = 0;
      for (size_t i = 0; i + 1 < crossings.size(); ++i) {
        winding += crossings[i].direction;
        if (winding == 0) continue;
        const double from = std::clamp(crossings[i].x, double(clip.left), double(clip.right));
        const double to = std::clamp(crossings[i + 1].x, double(clip.left), double(clip.right));
        const int left = FloorWithin(from, clip.left, clip.right);
        const int right = std::min(clip.right, static_cast<int>(std::ceil(to)));
        if (left >= right) continue;
        Touch(left, right, y);
        for (int x = left; x < right; ++x) {
          const double covered = std::min(to, x + 1.0) - std::max(from, static_cast<double>(x));
          row[x] += static_cast<float>(covered / kSubRows);
        }
      }
    }
  }
  Blend(color);
}

void RasterCanvas::Touch(int left, int right, int y) {
  touched_.left = std::min(touched_.left, left);
  touched_.right = std::max(touched_.right, right);
  touched_.top = std::min(touched_.top, y);
  touched_.bottom = std::max(touched_.bottom, y + 1);
}

// Composites `color` over the picture where there is coverage, and clears the coverage.
void RasterCanvas::Blend(Color color) {
  for (int y = touched_.top; y < touched_.bottom; ++y) {
    for (int x = touched_.left; x < touched_.right; ++x) {
      const size_t i = static_cast<size_t>(y) * pixel_width_ + x;
      if (coverage_[i] <= 0.0F) continue;
      const double source = std::min(1.0F, coverage_[i]) * color.a / 255.0;
      coverage_[i] = 0.0F;
      uint8_t* pixel = pixels_.data() + 4 * i;
      const double kept = pixel[3] / 255.0 * (1.0 - source);
      const double alpha = source + kept;
      if (alpha <= 0.0) continue;
      const auto mix = [&](uint8_t from, uint8_t to) {
        return static_cast<uint8_t>(std::lround((to * source + from * kept) / alpha));
      };
      pixel[0] = mix(pixel[0], color.r);
      pixel[1] = mix(pixel[1], color.g);
      pixel[2] = mix(pixel[2], color.b);
      pixel[3] = static_cast<uint8_t>(std::lround(std::min(1.0, alpha) * 255.0));
    }
  }
  touched_ = {pixel_width_, pixel_height_, 0, 0};
}

}  // namespace calfvo
