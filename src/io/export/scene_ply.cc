// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "core/base/atomic_file.h"
#include "core/base/little_endian.h"
#include "io/export/export_formats.h"

namespace calfvo {
namespace {

constexpr uint8_t kPathColour[3] = {230, 90, 20};

void AppendVertex(const Eigen::Vector3d& place, const uint8_t (&rgb)[3], std::string* bytes) {
  for (const double coordinate : place) AppendLittleEndian<float>(static_cast<float>(coordinate), bytes);
  for (const uint8_t channel : rgb) AppendLittleEndian<uint8_t>(channel, bytes);
}

}  // namespace

void WriteScenePly(const ExportedRun& run, const std::filesystem::path& path) {
  const size_t points = run.points.size();
  const size_t poses = run.trajectory.size();
  AtomicFile file(path);
  file.Write(
      fmt::format("ply\nformat binary_little_endian 1.0\ncomment calfvo: map points, then the camera's path; "
                  "metres\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\nproperty "
                  "uchar red\nproperty uchar green\nproperty uchar blue\nelement edge {}\nproperty int "
                  "vertex1\nproperty int vertex2\nend_header\n",
                  points + poses, poses - 1));
  std::string bytes;
  for (const MapPoint& point : run.points) {
    AppendVertex(point.x_in_world, point.rgb, &bytes);
    file.Write(bytes);
    bytes.clear();
  }
  for (const Rigid3& pose : run.trajectory.world_from_camera) {
    AppendVertex(pose.translation, kPathColour, &bytes);
    file.Write(bytes);
    bytes.clear();
  }
  for (size_t i = 0; i + 1 < poses; ++i) {
    AppendLittleEndian<int32_t>(static_cast<int32_t>(points + i), &bytes);
    AppendLittleEndian<int32_t>(static_cast<int32_t>(points + i + 1), &bytes);
  }
  file.Write(bytes);
  file.Commit();
}

}  // namespace calfvo
