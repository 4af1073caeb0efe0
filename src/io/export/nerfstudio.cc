// SPDX-License-Identifier: Apache-2.0
// transforms.json: camera to world in OpenGL's camera axes, the world's z up. Both nerfstudio and instant-ngp
// count pixels from the corner, as calfvo does.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/base/atomic_file.h"
#include "core/base/number_text.h"
#include "core/trajectory/camera_file.h"
#include "core/trajectory/point_cloud.h"
#include "io/export/axes.h"
#include "io/export/export_formats.h"

namespace calfvo {
namespace {

std::string NumberText(double value) {
  std::string text;
  AppendNumber(value, &text);
  return text;
}

// "[[…], […], […]" without the last bracket, for a row 0 0 0 1 to follow.
std::string MatrixRows(const Rigid3& pose) {
  const Eigen::Matrix3d rotation = pose.rotation.toRotationMatrix();
  std::string text = "[";
  for (int row = 0; row < 3; ++row) {
    text += row == 0 ? "[" : ", [";
    for (int column = 0; column < 3; ++column) text += NumberText(rotation(row, column)) + ", ";
    text += NumberText(pose.translation[row]) + "]";
  }
  return text;
}

std::string CameraMembers(const Camera& camera) {
  const auto angle = [&](int side) { return NumberText(2.0 * std::atan(side / (2.0 * camera.focal_px))); };
  const std::string focal = NumberText(camera.focal_px);
  std::string text = fmt::format("  \"camera_model\": \"OPENCV\",\n  \"w\": {},\n  \"h\": {},\n",
                                 camera.width, camera.height);
  text += fmt::format("  \"fl_x\": {},\n  \"fl_y\": {},\n  \"cx\": {},\n  \"cy\": {},\n", focal, focal,
                      NumberText(camera.principal_point.x()), NumberText(camera.principal_point.y()));
  text += fmt::format("  \"k1\": {},\n  \"k2\": 0,\n  \"p1\": 0,\n  \"p2\": 0,\n", NumberText(camera.k1));
  text += fmt::format("  \"camera_angle_x\": {},\n  \"camera_angle_y\": {},\n", angle(camera.width),
                      angle(camera.height));
  // Not read by other programs: whether the numbers above are a guess.
  text += fmt::format("  \"camera_origin\": \"{}\",\n", CameraOriginName(camera.origin));
  return text;
}

}  // namespace

void WriteNerfstudio(const ExportedRun& run, const std::filesystem::path& folder) {
  const Axes axes = ZUpAxes();
  AtomicFile file(folder / "transforms.json");
  file.Write("{\n" + CameraMembers(run.camera));
  file.Write(fmt::format("  \"aabb_scale\": 16,\n  \"applied_transform\": {}],\n",
                         MatrixRows({axes.world_from_calfvo, Eigen::Vector3d::Zero()})));
  if (!run.points.empty()) file.Write("  \"ply_file_path\": \"points.ply\",\n");
  file.Write("  \"frames\": [");
  for (size_t pose = 0; pose < run.trajectory.size(); ++pose) {
    file.Write(
        fmt::format("{}\n    {{\"file_path\": \"images/{}\", \"transform_matrix\": {}, [0, 0, 0, 1]]}}",
                    pose == 0 ? "" : ",", ExportedImageName(pose),
                    MatrixRows(InAxes(axes, run.trajectory.world_from_camera[pose]))));
  }
  file.Write("\n  ]\n}\n");
  file.Commit();
  if (run.points.empty()) return;
  std::vector<MapPoint> points = run.points;
  for (MapPoint& point : points) point.x_in_world = axes.world_from_calfvo * point.x_in_world;
  WritePoints(points, folder / "points.ply");
}

}  // namespace calfvo
