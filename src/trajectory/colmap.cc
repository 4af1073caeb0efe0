// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/atomic_file.h"
#include "calfvo/error.h"
#include "calfvo/trajectory.h"
#include "trajectory/number_text.h"
#include "trajectory/pose_checks.h"

namespace calfvo {

void WriteColmap(const Trajectory& trajectory, const std::filesystem::path& folder,
                 const ColmapImages& images) {
  CheckTrajectory(trajectory, "COLMAP export");
  if (images.width <= 0 || images.height <= 0) {
    throw Error(fmt::format("COLMAP export: image size {}x{} must be positive", images.width, images.height));
  }
  if (!images.names.empty() && images.names.size() != trajectory.size()) {
    throw Error(
        fmt::format("COLMAP export: {} image names for {} poses", images.names.size(), trajectory.size()));
  }
  for (const std::string& name : images.names) {
    if (name.empty() || name.find_first_of(" \t\r\n") != std::string::npos) {
      throw Error(fmt::format("COLMAP export: image name '{}' is empty or holds blanks", name));
    }
  }
  MakeFolder(folder);

  const bool guessed = images.focal_px <= 0.0;
  const double focal_px = guessed ? 0.8 * std::max(images.width, images.height) : images.focal_px;
  WriteFileAtomically(
      folder / "cameras.txt",
      fmt::format("# CAMERA_ID MODEL WIDTH HEIGHT f cx cy\n{}1 SIMPLE_PINHOLE {} {} {} {} {}\n",
                  guessed ? "# The focal length is a guess: calfvo estimates no intrinsics.\n" : "",
                  images.width, images.height, focal_px, images.width / 2.0, images.height / 2.0));
  WriteFileAtomically(folder / "points3D.txt", "# POINT3D_ID X Y Z R G B ERROR TRACK[]\n");

  AtomicFile file(folder / "images.txt");
  std::string lines =
      "# IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME (camera from world), then a line of points, here "
      "empty\n";
  for (size_t i = 0; i < trajectory.size(); ++i) {
    const Rigid3 camera_from_world = trajectory.world_from_camera[i].Inverse();
    const Quaternion& q = camera_from_world.rotation;
    AppendInteger(static_cast<int64_t>(i) + 1, &lines);
    for (const double coefficient : {q.w(), q.x(), q.y(), q.z()}) AppendNumber(coefficient, &(lines += ' '));
    for (const double coordinate : camera_from_world.translation) AppendNumber(coordinate, &(lines += ' '));
    lines += " 1 ";
    lines += images.names.empty() ? fmt::format("frame_{:06}.png", i) : images.names[i];
    lines += "\n\n";
    file.Write(lines);
    lines.clear();
  }
  file.Write(lines);
  file.Commit();
}

}  // namespace calfvo
