// SPDX-License-Identifier: Apache-2.0
#include "eval/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#include "calfvo/error.h"
#include "eval/report/edge_errors.h"

namespace calfvo {
namespace {

constexpr std::array<std::string_view, 3> kAxisNames = {"x", "y", "z"};

Rigid3 ReferencePose(const EvaluatedPair& pair, size_t i) {
  return pair.reference.world_from_camera[pair.evaluation.pairs[i].reference];
}

Rigid3 EstimatePose(const EvaluatedPair& pair, size_t i) {
  const Rigid3& pose = pair.estimate.world_from_camera[pair.evaluation.pairs[i].estimate];
  const Similarity3& alignment = pair.evaluation.reference_from_estimate;
  return {alignment.rotation * pose.rotation, alignment * pose.translation};
}

// Seconds since the first pair, or frames without a clock.
std::vector<double> Times(const EvaluatedPair& pair) {
  const bool has_time = pair.reference.has_time;
  const std::vector<int64_t>& times_ns = pair.reference.timestamps_ns;
  std::vector<double> times;
  times.reserve(pair.evaluation.pairs.size());
  for (const PosePair& indices : pair.evaluation.pairs) {
    const int64_t since_start_ns =
        times_ns[indices.reference] - times_ns[pair.evaluation.pairs.front().reference];
    times.push_back(has_time ? static_cast<double>(since_start_ns) * 1e-9 : indices.reference);
  }
  return times;
}

std::string TimeLabel(const EvaluatedPair& pair) {
  return pair.reference.has_time ? "time (s)" : "frame";
}

// One value per pair.
template <typename ValueAt>
std::vector<double> Collect(const EvaluatedPair& pair, ValueAt&& value_at) {
  std::vector<double> values;
  values.reserve(pair.evaluation.pairs.size());
  for (size_t i = 0; i < pair.evaluation.pairs.size(); ++i) values.push_back(value_at(i));
  return values;
}

// The two axes of the view: the one drawn to the right and the one drawn upwards.
std::pair<int, int> ViewAxes(const EvaluatedPair& pair, ViewPlane plane) {
  switch (plane) {
    case ViewPlane::kXy:
      return {0, 1};
    case ViewPlane::kXz:
      return {0, 2};
    case ViewPlane::kYz:
      return {1, 2};
    case ViewPlane::kAuto:
      break;
  }
  Eigen::Vector3d low = ReferencePose(pair, 0).translation;
  Eigen::Vector3d high = low;
  for (size_t i = 1; i < pair.evaluation.pairs.size(); ++i) {
    low = low.cwiseMin(ReferencePose(pair, i).translation);
    high = high.cwiseMax(ReferencePose(pair, i).translation);
  }
  int flattest = 0;
  (high - low).minCoeff(&flattest);
  return flattest == 0 ? std::pair{1, 2} : (flattest == 1 ? std::pair{0, 2} : std::pair{0, 1});
}

// Rotation = Rz(yaw)·Ry(pitch)·Rx(roll), in degrees.
Eigen::Vector3d RollPitchYaw(const Quaternion& rotation) {
  const Eigen::Matrix3d r = rotation.toRotationMatrix();
  const double pitch = std::asin(std::clamp(-r(2, 0), -1.0, 1.0));
  return Eigen::Vector3d(std::atan2(r(2, 1), r(2, 2)), pitch, std::atan2(r(1, 0), r(0, 0))) * 180.0 /
         std::numbers::pi;
}

// Adds whole turns so that neighbours are less than half a turn apart, starting nearest to `first`.
void Unwrap(double first, std::vector<double>* degrees) {
  double previous = first;
  for (double& angle : *degrees) {
    angle -= 360.0 * std::round((angle - previous) / 360.0);
    previous = angle;
  }
}

// Three stacked panels over time, reference dashed and estimate drawn through.
Figure ComponentFigure(const EvaluatedPair& pair, std::string title, const std::array<std::string, 3>& labels,
                       const std::function<double(const Rigid3&, int)>& component, bool is_angle) {
  Figure figure{.title = std::move(title), .width = 900, .height = 720};
  const std::vector<double> times = Times(pair);
  for (int axis = 0; axis < 3; ++axis) {
    Series reference{.x = times, .label = "reference", .color = kReferenceGrey, .width = 2.0, .dashed = true};
    reference.y = Collect(pair, [&](size_t i) { return component(ReferencePose(pair, i), axis); });
    Series estimate{.x = times, .label = "estimate"};
    estimate.y = Collect(pair, [&](size_t i) { return component(EstimatePose(pair, i), axis); });
    if (is_angle) {
      Unwrap(reference.y.front(), &reference.y);
      Unwrap(reference.y.front(), &estimate.y);
    }
    Panel panel{.x_label = axis == 2 ? TimeLabel(pair) : "", .y_label = labels[static_cast<size_t>(axis)]};
    panel.series = {std::move(reference), std::move(estimate)};
    panel.legend = axis == 0;
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace

ViewPlane ViewPlaneFromName(std::string_view name) {
  if (name == "auto") return ViewPlane::kAuto;
  if (name == "xy") return ViewPlane::kXy;
  if (name == "xz") return ViewPlane::kXz;
  if (name == "yz") return ViewPlane::kYz;
  throw Error(fmt::format("unknown plane '{}'; expected auto, xy, xz or yz", name));
}

Figure PathFigure(const EvaluatedPair& pair, ViewPlane plane) {
  const auto [right, up] = ViewAxes(pair, plane);
  const auto along = [&](const auto& pose_at, int axis) {
    return Collect(pair, [&, axis](size_t i) { return pose_at(pair, i).translation[axis]; });
  };
  Panel panel{.x_label = fmt::format("{} (m)", kAxisNames[static_cast<size_t>(right)]),
              .y_label = fmt::format("{} (m)", kAxisNames[static_cast<size_t>(up)]),
              .equal_aspect = true};
  panel.series.push_back({.x = along(ReferencePose, right),
                          .y = along(ReferencePose, up),
                          .label = "reference",
                          .color = kReferenceGrey,
                          .width = 2.0,
                          .dashed = true});
  // The scale ends at the 95th percentile: one outlier must not turn the rest of the path into one colour.
  std::vector<double> sorted = pair.evaluation.rpe_trans_m;
  double scale_end = 0.0;
  if (!sorted.empty()) {
    const auto at =
        sorted.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(sorted.size() - 1));
    std::nth_element(sorted.begin(), at, sorted.end());
    scale_end = *at;
  }
  panel.color_bar = ColorBar{"relative error (m/frame)", 0.0, scale_end > 0.0 ? scale_end : 1.0};
  panel.series.push_back(
      {.x = along(EstimatePose, right),
       .y = along(EstimatePose, up),
       .label = fmt::format("estimate, aligned: {}", AlignmentName(pair.evaluation.alignment)),
       .width = 2.2,
       .values = pair.evaluation.rpe_trans_m,
       .start_marker = true,
       .end_marker = true});
  return {
      .title = fmt::format("{}: path", pair.name), .width = 900, .height = 720, .panels = {std::move(panel)}};
}

Figure PositionFigure(const EvaluatedPair& pair) {
  return ComponentFigure(
      pair, fmt::format("{}: position", pair.name), {"x (m)", "y (m)", "z (m)"},
      [](const Rigid3& pose, int axis) { return pose.translation[axis]; }, /*is_angle=*/false);
}

Figure OrientationFigure(const EvaluatedPair& pair) {
  return ComponentFigure(
      pair, fmt::format("{}: orientation", pair.name), {"roll (°)", "pitch (°)", "yaw (°)"},
      [](const Rigid3& pose, int axis) { return RollPitchYaw(pose.rotation)[axis]; }, /*is_angle=*/true);
}

Figure ErrorFigure(const EvaluatedPair& pair) {
  const Evaluation& evaluation = pair.evaluation;
  const std::vector<double> times = Times(pair);
  // A relative error belongs to the later of its two frames.
  const std::vector<double> later(times.begin() + 1, times.end());
  const std::vector<EdgeSigma> sigmas = EdgeSigmas(pair);
  const auto relative = [&](const std::vector<double>& errors, double EdgeSigma::*sigma) {
    std::vector<Series> series = {{.x = later, .y = errors, .label = "error", .color = PaletteColor(1)}};
    if (sigmas.empty()) return series;
    Series bound{.x = later, .label = "95 % bound", .color = kReferenceGrey};
    for (const EdgeSigma& edge : sigmas) bound.y.push_back(k95PercentOfNorms * edge.*sigma);
    series.insert(series.begin(), std::move(bound));
    return series;
  };
  Figure figure{.title = fmt::format("{}: errors", pair.name), .width = 900, .height = 900};
  figure.panels = {
      {.y_label = "APE (m)", .series = {{.x = times, .y = evaluation.ape_trans_m}}},
      {.y_label = "APE (°)", .series = {{.x = times, .y = evaluation.ape_rot_deg}}},
      {.y_label = "RPE (m)", .series = relative(evaluation.rpe_trans_m, &EdgeSigma::translation_m)},
      {.x_label = TimeLabel(pair),
       .y_label = "RPE (°)",
       .series = relative(evaluation.rpe_rot_deg, &EdgeSigma::rotation_deg)},
  };
  for (Panel& panel : figure.panels) panel.legend = !sigmas.empty();
  return figure;
}

}  // namespace calfvo
