// SPDX-License-Identifier: Apache-2.0
// A trajectory of any length, thinned to what a figure can show.
#pragma once

#include <cstdint>
#include <vector>

#include "eval/plot/figure.h"
#include "vo/tracker.h"

namespace calfvo {

// Keeps every n-th pose; n doubles whenever there are kMaxPoints, so memory does not depend on the length.
class PathSketch {
 public:
  static constexpr size_t kMaxPoints = 8192;

  void Add(int64_t timestamp_ns, const TrackedPose& pose);

  double length_m() const { return length_m_; }  // of the whole path, not of the sketch

  // The path seen along the axis of least motion. With `has_confidence` it is coloured by the σ of each edge,
  // from blue (low) to yellow (high).
  Figure PathFigure(const std::string& title, bool has_confidence) const;

  // The σ of each edge over time.
  Figure UncertaintyFigure(const std::string& title) const;

 private:
  struct Point {
    double time_s;
    Eigen::Vector3d position;
    double sigma_translation_m;
    double sigma_rotation_deg;
  };

  std::vector<Point> points_;
  int64_t stride_ = 1;
  int64_t seen_ = 0;
  int64_t first_timestamp_ns_ = 0;
  Eigen::Vector3d last_position_ = Eigen::Vector3d::Zero();
  double length_m_ = 0.0;
};

}  // namespace calfvo
