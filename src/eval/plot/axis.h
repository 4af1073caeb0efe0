// SPDX-License-Identifier: Apache-2.0
// From data to px along one axis, and the range that an axis shows.
#pragma once

#include <cmath>
#include <limits>

namespace calfvo {

struct Range {
  double low = 0.0;
  double high = 1.0;

  double span() const { return high - low; }
};

// NaN, infinities and numbers whose differences could overflow are gaps.
inline bool IsPlottable(double value) {
  return std::abs(value) <= 1e100;
}

// Smallest interval around what was added; empty at first.
struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Add(double value) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  bool empty() const { return low > high; }
};

// A range of positive span that shows `extent` with `margin` times its span left free on either side. Nothing
// gives 0..1, and a constant a range around it: a span below the resolution of tick labels would show noise.
Range ShownRange(const Extent& extent, double margin);

// Linear map from `range` onto px; px_high < px_low where the axis points up.
struct Axis {
  Range range;
  double px_low = 0.0;
  double px_high = 1.0;

  double ToPixel(double value) const {
    return px_low + (value - range.low) / range.span() * (px_high - px_low);
  }
};

}  // namespace calfvo
