// SPDX-License-Identifier: Apache-2.0
// TartanAir v1 and v2: one pose per line, x forward, y right, z down for both world and camera (NED).
#include <fmt/format.h>

#include <utility>

#include "calfvo/error.h"
#include "io/datasets/file_sequence.h"
#include "io/datasets/loaders.h"
#include "io/datasets/paths.h"
#include "io/datasets/pose_text.h"
#include "io/video/frame_rate.h"
#include "io/video/image_list.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

constexpr FrameRate kRate{10, 1};

bool IsTartanAir(const fs::path& path, const char* images, const char* poses) {
  return IsFolder(path / images) && IsFile(path / poses);
}

// OpenCV's x, y, z are NED's y, z, x, for the axis of a rotation as for a position.
Rigid3 OpencvFromNed(const Rigid3& ned) {
  const Eigen::Vector3d& t = ned.translation;
  const Quaternion& q = ned.rotation;
  return {Quaternion(q.w(), q.y(), q.z(), q.x()), {t.y(), t.z(), t.x()}};
}

std::vector<std::optional<Rigid3>> ReadPoses(const fs::path& path) {
  TextFile file(path);
  std::vector<std::optional<Rigid3>> world_from_camera;
  for (auto line = file.reader().Next(); line.data() != nullptr; line = file.reader().Next()) {
    FieldReader fields(file.reader(), line, ' ', "tx ty tz qx qy qz qw");
    std::optional<Rigid3> pose = TakePose(file.reader(), fields);
    fields.ExpectEnd();
    if (pose) pose = OpencvFromNed(*pose);
    world_from_camera.push_back(pose);
  }
  return world_from_camera;
}

OpenedSequence Open(const std::string& name, const fs::path& path, const std::string& camera,
                    double centre_y_px) {
  // Only v2 has times, and only where its IMU part was downloaded.
  std::vector<int64_t> times;
  const fs::path times_path = path / "imu" / "cam_time.txt";
  if (IsFile(times_path)) {
    std::ifstream stream = OpenText(times_path);
    times = ParseTimes(stream, times_path.string());
  }
  const auto poses = ReadPoses(path / fmt::format("pose_{}.txt", camera));
  std::vector<ImageFile> images;
  for (NumberedFile& file : NumberedFiles(path / ("image_" + camera), "", fmt::format("_{}.png", camera))) {
    const auto i = static_cast<size_t>(file.number);
    if (!times.empty() && i >= times.size()) {
      throw Error(fmt::format("{}: has {} times, but there is an image {}", times_path.string(), times.size(),
                              file.path.string()));
    }
    images.push_back({.timestamp_ns = times.empty() ? kRate.TimestampNs(file.number) : times[i],
                      .world_from_camera = i < poses.size() ? poses[i] : std::nullopt,
                      .path = std::move(file.path)});
  }
  return MakeFileSequence(name, path, std::move(images),
                          CameraIntrinsics{.fx = 320.0, .fy = 320.0, .cx = 320.0, .cy = centre_y_px});
}

}  // namespace

bool IsTartanAir1(const fs::path& path) {
  return IsTartanAir(path, "image_left", "pose_left.txt");
}

OpenedSequence OpenTartanAir1(const fs::path& path, const std::string& name) {
  return Open(name, path, "left", 240.0);
}

bool IsTartanAir2(const fs::path& path) {
  return IsTartanAir(path, "image_lcam_front", "pose_lcam_front.txt");
}

OpenedSequence OpenTartanAir2(const fs::path& path, const std::string& name) {
  return Open(name, path, "lcam_front", 320.0);
}

}  // namespace calfvo
