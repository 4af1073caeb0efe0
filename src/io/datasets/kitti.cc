// SPDX-License-Identifier: Apache-2.0
// KITTI odometry: the left colour camera (image_2), or the left grey one (image_0) where it is the only one.
#include <fmt/format.h>

#include <utility>

#include "calfvo/error.h"
#include "calfvo/trajectory.h"
#include "io/datasets/file_sequence.h"
#include "io/datasets/loaders.h"
#include "io/datasets/paths.h"
#include "io/datasets/pose_text.h"
#include "io/video/image_list.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

struct Calibration {
  CameraIntrinsics intrinsics;
  Rigid3 camera_from_cam0;
};

// The line "P2: …" for image_2: a 3×4 projection K·[I | t] of points in camera 0, whose t lies along x.
Calibration ReadCalibration(const fs::path& path, std::string_view key) {
  TextFile file(path);
  for (auto line = file.reader().Next(); line.data() != nullptr; line = file.reader().Next()) {
    FieldReader fields(file.reader(), line, ' ', "P0: and twelve numbers");
    if (fields.Text() != key) continue;
    double p[12];
    for (double& value : p) value = fields.Number();
    fields.ExpectEnd();
    if (!(p[0] > 0.0 && p[5] > 0.0)) file.reader().Fail("the focal lengths are not positive");
    return {{.fx = p[0], .fy = p[5], .cx = p[2], .cy = p[6]},
            {Quaternion::Identity(), {p[3] / p[0], 0.0, 0.0}}};
  }
  throw Error(fmt::format("{}: has no line that begins with {}", path.string(), key));
}

}  // namespace

bool IsKitti(const fs::path& path) {
  return IsFile(path / "times.txt") && (IsFolder(path / "image_2") || IsFolder(path / "image_0"));
}

OpenedSequence OpenKitti(const fs::path& path, const std::string& name) {
  const bool is_colour = IsFolder(path / "image_2");
  const Calibration calibration = ReadCalibration(path / "calib.txt", is_colour ? "P2:" : "P0:");
  const Rigid3 cam0_from_camera = calibration.camera_from_cam0.Inverse();

  const fs::path times_path = path / "times.txt";
  std::ifstream times_stream = OpenText(times_path);
  const std::vector<int64_t> times = ParseTimes(times_stream, times_path.string());

  // 11 to 21 have no poses.
  const fs::path poses_path =
      path.parent_path().parent_path() / "poses" / (path.filename().string() + ".txt");
  Trajectory poses;
  if (IsFile(poses_path)) {
    poses = ReadTrajectory(poses_path, TrajectoryFormat::kKitti);
    if (poses.size() != times.size()) {
      throw Error(fmt::format("{}: has {} poses, but {} has {} times; is the file whole?",
                              poses_path.string(), poses.size(), times_path.string(), times.size()));
    }
  }

  std::vector<ImageFile> images;
  for (NumberedFile& file : NumberedFiles(path / (is_colour ? "image_2" : "image_0"), "", ".png")) {
    const auto i = static_cast<size_t>(file.number);
    if (i >= times.size()) {
      throw Error(fmt::format("{}: has {} times, but there is an image {}", times_path.string(), times.size(),
                              file.path.string()));
    }
    ImageFile image{.timestamp_ns = times[i], .path = std::move(file.path)};
    if (!poses.empty()) image.world_from_camera = poses.world_from_camera[i] * cam0_from_camera;
    images.push_back(std::move(image));
  }
  return MakeFileSequence(name, path, std::move(images), calibration.intrinsics);
}

}  // namespace calfvo
