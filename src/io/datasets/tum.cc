// SPDX-License-Identifier: Apache-2.0
// TUM RGB-D, and other folders in its layout: images and poses on clocks of their own.
#include <map>
#include <utility>

#include "io/datasets/file_sequence.h"
#include "io/datasets/loaders.h"
#include "io/datasets/paths.h"
#include "io/datasets/pose_text.h"
#include "io/datasets/time_match.h"
#include "io/video/image_list.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSetName = "rgbd_dataset_freiburg";
constexpr int64_t kMatchLimitNs = 20'000'000;

// Published on the benchmark's page, not in its archives.
std::optional<CameraIntrinsics> Intrinsics(const std::string& folder_name) {
  if (!folder_name.starts_with(kSetName)) return {};
  switch (folder_name.c_str()[kSetName.size()]) {
    case '1':
      return CameraIntrinsics{517.3, 516.5, 318.6, 255.3, {0.2624, -0.9531, -0.0054, 0.0026, 1.1633}};
    case '2':
      return CameraIntrinsics{520.9, 521.0, 325.1, 249.7, {0.2312, -0.7849, -0.0033, -0.0001, 0.9172}};
    case '3':
      return CameraIntrinsics{535.4, 539.2, 320.1, 247.6};
    default:
      return {};
  }
}

// By time. The sets repeat some times; the last one counts, as for the benchmark's own tools.
std::map<int64_t, Rigid3> ReadGroundTruth(const fs::path& path) {
  TextFile file(path);
  std::map<int64_t, Rigid3> world_from_camera;
  for (auto line = file.reader().Next(); line.data() != nullptr; line = file.reader().Next()) {
    FieldReader fields(file.reader(), line, ' ', "timestamp tx ty tz qx qy qz qw");
    const int64_t timestamp_ns = fields.Seconds();
    const auto pose = TakePose(file.reader(), fields);
    fields.ExpectEnd();
    if (pose) world_from_camera[timestamp_ns] = *pose;
  }
  return world_from_camera;
}

}  // namespace

bool IsTum(const fs::path& path) {
  return IsTumLayout(path) && path.filename().string().starts_with(kSetName);
}

bool IsTumLayout(const fs::path& path) {
  return IsFile(path / "rgb.txt");
}

OpenedSequence OpenTum(const fs::path& path, const std::string& name) {
  const fs::path list_path = path / "rgb.txt";
  std::ifstream list_stream = OpenText(list_path);
  ImageList list = ParseTumList(list_stream, list_path.string(), path);

  const fs::path poses_path = path / "groundtruth.txt";
  std::vector<int64_t> pose_times;
  std::vector<Rigid3> poses;
  if (IsFile(poses_path)) {
    for (const auto& [timestamp_ns, pose] : ReadGroundTruth(poses_path)) {
      pose_times.push_back(timestamp_ns);
      poses.push_back(pose);
    }
  }
  const auto matches = MatchOneToOne(list.timestamps_ns, pose_times, kMatchLimitNs, poses_path.string());
  std::vector<ImageFile> images;
  for (size_t i = 0; i < list.files.size(); ++i) {
    ImageFile image{.timestamp_ns = list.timestamps_ns[i], .path = std::move(list.files[i])};
    if (matches[i]) image.world_from_camera = poses[*matches[i]];
    images.push_back(std::move(image));
  }
  return MakeFileSequence(name, path, std::move(images), Intrinsics(path.filename().string()));
}

}  // namespace calfvo
