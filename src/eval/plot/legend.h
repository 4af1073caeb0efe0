// SPDX-License-Identifier: Apache-2.0
// The key to a panel's lines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "eval/plot/canvas.h"
#include "eval/plot/figure.h"
#include "eval/plot/series_lines.h"

namespace calfvo {

// The labelled series of a panel, one below the other or, where there is little height, side by side.
class Legend {
 public:
  // Borrows `panel`.
  Legend(const Panel& panel, bool side_by_side);

  bool empty() const { return entries_.empty(); }
  double width() const { return width_; }    // px
  double height() const { return height_; }  // px

  // The corner of `box` where the legend meets the fewest lines, and how much of them it meets: their length
  // in px, roughly.
  struct Place {
    Rect rect;
    double overlap;
  };
  Place FindPlace(const Rect& box, std::span<const SeriesLines> lines) const;

  void Draw(const Rect& rect, Canvas& canvas) const;

 private:
  std::vector<const Series*> entries_;
  bool side_by_side_;
  double width_ = 0.0;
  double height_ = 0.0;
};

}  // namespace calfvo
