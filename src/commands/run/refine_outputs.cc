// SPDX-License-Identifier: Apache-2.0
#include "commands/run/refine_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/trajectory/camera_file.h"
#include "core/trajectory/formats.h"
#include "core/trajectory/point_cloud.h"

namespace calfvo {
namespace {

constexpr double kBreak = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kDrawnPoints = 20000;

// From above: x to the right, z ahead.
Series PathFromAbove(const std::vector<Eigen::Vector3d>& path, const char* label, Color color, bool dashed) {
  Series series{.label = label, .color = color, .dashed = dashed};
  for (const Eigen::Vector3d& position : path) {
    series.x.push_back(position.x());
    series.y.push_back(position.z());
  }
  return series;
}

// Dots: points between breaks. Far points would leave a small path, so they are cut off.
Series PointsFromAbove(const std::vector<MapPoint>& points, const std::vector<Eigen::Vector3d>& path) {
  Eigen::Vector3d low = path.front();
  Eigen::Vector3d high = path.front();
  for (const Eigen::Vector3d& position : path) {
    low = low.cwiseMin(position);
    high = high.cwiseMax(position);
  }
  const double margin = std::max(3.0, 0.5 * (high - low).norm());
  Series dots{.label = "points", .color = kReferenceGrey, .width = 1.0};
  const size_t stride = points.size() / kDrawnPoints + 1;
  for (size_t i = 0; i < points.size(); i += stride) {
    const Eigen::Vector3d& x = points[i].x_in_world;
    if (((x - low).array() < -margin).any() || ((x - high).array() > margin).any()) continue;
    dots.x.insert(dots.x.end(), {x.x(), kBreak});
    dots.y.insert(dots.y.end(), {x.z(), kBreak});
  }
  return dots;
}

Series LoopsFromAbove(const std::vector<LoopEdge>& loops, const std::vector<Eigen::Vector3d>& path) {
  Series lines{.label = "loop closures", .color = PaletteColor(2), .width = 1.0};
  for (const LoopEdge& loop : loops) {
    for (const int frame : {loop.first_frame, loop.second_frame}) {
      lines.x.push_back(path[static_cast<size_t>(frame)].x());
      lines.y.push_back(path[static_cast<size_t>(frame)].z());
    }
    lines.x.push_back(kBreak);
    lines.y.push_back(kBreak);
  }
  return lines;
}

void WriteLoops(const std::vector<LoopEdge>& loops, const std::filesystem::path& path) {
  AtomicFile file(path);
  file.Write("first_frame,second_frame,inliers\n");
  for (const LoopEdge& loop : loops) {
    file.Write(fmt::format("{},{},{}\n", loop.first_frame, loop.second_frame, loop.inliers));
  }
  file.Commit();
}

}  // namespace

std::vector<std::string> RefineOutputs::Files() {
  return {"network.tum", "camera.json", "points.ply", "loops.csv",
          "map.png",     "map.svg",     "refine.png", "refine.svg"};
}

RefineOutputs::RefineOutputs(const std::filesystem::path& folder)
    : folder_(folder), network_(folder / "network.tum") {
  network_.Write(kTumHeader);
}

void RefineOutputs::Add(const RefinedPose& pose) {
  line_.clear();
  AppendTumLine(pose.frame.timestamp_ns, pose.network_from_camera, &line_);
  network_.Write(line_);
  if (time_s_.empty()) first_timestamp_ns_ = pose.frame.timestamp_ns;
  time_s_.push_back(1e-9 * static_cast<double>(pose.frame.timestamp_ns - first_timestamp_ns_));
  rotation_weight_.push_back(pose.rotation_weight);
  translation_weight_.push_back(pose.translation_weight);
  refined_path_.push_back(pose.pose.world_from_camera.translation);
  network_path_.push_back(pose.network_from_camera.translation);
}

Panel RefineOutputs::TracksPanel(const RefineSummary& summary) const {
  Series tracks{.label = "that the adjustment kept"};
  for (const KeyframeCourse& keyframe : summary.keyframe_course) {
    tracks.x.push_back(time_s_[static_cast<size_t>(keyframe.frame)]);
    tracks.y.push_back(keyframe.tracks);
  }
  return {.x_label = "time (s)", .y_label = "tracks", .series = {tracks}};
}

Panel RefineOutputs::ResidualPanel(const RefineSummary& summary) const {
  Series residuals{.label = "median reprojection error", .color = PaletteColor(2)};
  for (const KeyframeCourse& keyframe : summary.keyframe_course) {
    residuals.x.push_back(time_s_[static_cast<size_t>(keyframe.frame)]);
    residuals.y.push_back(keyframe.tracks > 0 ? keyframe.residual_px : kBreak);
  }
  return {.x_label = "time (s)", .y_label = "residual (px)", .series = {residuals}};
}

// One estimate per window, with ±σ: live windows are short, so that the estimate converges.
Panel RefineOutputs::FocalPanel(const RefineSummary& summary) const {
  Series focal{.label = "focal length", .color = PaletteColor(0)};
  Series low{.label = "±σ", .color = PaletteColor(0), .width = 1.0, .dashed = true};
  Series high{.color = PaletteColor(0), .width = 1.0, .dashed = true};
  double begin = 0.0;
  for (const CameraCourse& camera : summary.camera_course) {
    const double end = time_s_[static_cast<size_t>(camera.frame)];
    for (const double time : {begin, end}) {
      for (Series* series : {&focal, &low, &high}) series->x.push_back(time);
      focal.y.push_back(camera.focal_px);
      low.y.push_back(camera.focal_px - camera.focal_sigma_px);
      high.y.push_back(camera.focal_px + camera.focal_sigma_px);
    }
    begin = end;
  }
  return {.x_label = "time (s)", .y_label = "focal length (px)", .series = {focal, low, high}};
}

void RefineOutputs::Finish(const std::string& title, const RefineSummary& summary) {
  network_.Commit();
  WriteCamera(summary.camera, folder_ / "camera.json");
  WritePoints(summary.points, folder_ / "points.ply");
  WriteLoops(summary.loops, folder_ / "loops.csv");

  Panel map{.x_label = "x (m), right", .y_label = "z (m), ahead", .equal_aspect = true};
  map.series = {PointsFromAbove(summary.points, refined_path_),
                PathFromAbove(network_path_, "network", PaletteColor(1), /*dashed=*/true),
                PathFromAbove(refined_path_, "refined", PaletteColor(0), /*dashed=*/false)};
  if (!summary.loops.empty()) map.series.push_back(LoopsFromAbove(summary.loops, refined_path_));
  WriteFigure({.title = title, .width = 800, .height = 700, .panels = {map}}, folder_ / "map");

  Panel weights{.x_label = "time (s)", .y_label = "share of the refined relative pose"};
  weights.series = {
      {.x = time_s_, .y = rotation_weight_, .label = "rotation"},
      {.x = time_s_, .y = translation_weight_, .label = "translation", .color = PaletteColor(1)}};
  WriteFigure({.title = title,
               .width = 800,
               .height = 1000,
               .panels = {weights, TracksPanel(summary), ResidualPanel(summary), FocalPanel(summary)}},
              folder_ / "refine");
}

}  // namespace calfvo
