// SPDX-License-Identifier: Apache-2.0
#include "commands/run/path_sketch.h"

#include <algorithm>
#include <numbers>
#include <utility>

namespace calfvo {

void PathSketch::Add(int64_t timestamp_ns, const TrackedPose& pose) {
  const Eigen::Vector3d& position = pose.world_from_camera.translation;
  if (seen_ == 0) first_timestamp_ns_ = timestamp_ns;
  length_m_ += (position - last_position_).norm();
  last_position_ = position;
  if (seen_++ % stride_ != 0) return;
  points_.push_back({1e-9 * static_cast<double>(timestamp_ns - first_timestamp_ns_), position,
                     pose.edge.sigma_translation_m, pose.edge.sigma_rotation_rad * 180.0 / std::numbers::pi});
  if (points_.size() < kMaxPoints) return;
  for (size_t i = 0; 2 * i < points_.size(); ++i) points_[i] = points_[2 * i];
  points_.resize(kMaxPoints / 2);
  stride_ *= 2;
}

Figure PathSketch::PathFigure(const std::string& title, bool has_confidence) const {
  Eigen::Vector3d low = last_position_;
  Eigen::Vector3d high = last_position_;
  for (const Point& point : points_) {
    low = low.cwiseMin(point.position);
    high = high.cwiseMax(point.position);
  }
  // Cameras look along +z with y down: from above, x to the right and z ahead. Where the motion is elsewhere,
  // as the first camera sees it, or from its right with z to the right.
  Eigen::Index dropped = 1;
  const Eigen::Vector3d extent = high - low;
  if (extent.minCoeff() < 0.5 * extent.y()) extent.minCoeff(&dropped);
  const Eigen::Index across = dropped == 0 ? 2 : 0;
  const Eigen::Index upright = dropped == 1 ? 2 : 1;

  Series path{.label = "camera", .start_marker = true, .end_marker = true};
  std::vector<double> sigmas;
  for (const Point& point : points_) {
    path.x.push_back(point.position[across]);
    path.y.push_back(point.position[upright]);
    sigmas.push_back(point.sigma_translation_m);
  }
  // A few bad steps must not leave one colour for all others.
  const auto high_sigma = sigmas.begin() + std::ssize(sigmas) * 98 / 100;
  if (!sigmas.empty()) std::nth_element(sigmas.begin(), high_sigma, sigmas.end());
  const double top = sigmas.empty() ? 0.0 : *high_sigma;
  constexpr const char* kAxes[] = {"x (m), right", "y (m), down", "z (m), ahead"};
  Panel panel{
      .x_label = kAxes[across], .y_label = kAxes[upright], .equal_aspect = true, .y_down = upright == 1};
  if (has_confidence && top > 0.0) {
    for (size_t i = 1; i < points_.size(); ++i) path.values.push_back(points_[i].sigma_translation_m);
    panel.color_bar = ColorBar{"standard deviation of each step (m)", 0.0, top};
  }
  panel.series = {std::move(path)};
  return {.title = title, .width = 800, .height = 600, .panels = {std::move(panel)}};
}

Figure PathSketch::UncertaintyFigure(const std::string& title) const {
  Series translation;
  Series rotation{.color = PaletteColor(1)};
  for (size_t i = 1; i < points_.size(); ++i) {  // no step leads to the first
    for (Series* series : {&translation, &rotation}) series->x.push_back(points_[i].time_s);
    translation.y.push_back(points_[i].sigma_translation_m);
    rotation.y.push_back(points_[i].sigma_rotation_deg);
  }
  Figure figure{.title = title, .width = 800, .height = 500};
  figure.panels.push_back(
      {.x_label = "time (s)", .y_label = "σ translation (m/frame)", .series = {translation}});
  figure.panels.push_back({.x_label = "time (s)", .y_label = "σ rotation (°/frame)", .series = {rotation}});
  return figure;
}

}  // namespace calfvo
