// SPDX-License-Identifier: Apache-2.0
// Virtual KITTI 1.3.1 and 2: world-to-camera matrices per frame. Of version 2, camera 0.
#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "calfvo/error.h"
#include "io/datasets/file_sequence.h"
#include "io/datasets/loaders.h"
#include "io/datasets/paths.h"
#include "io/datasets/pose_text.h"
#include "io/video/frame_rate.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

constexpr FrameRate kVirtualKittiRate{10, 1};
constexpr std::string_view kRgbFolder1 = "vkitti_1.3.1_rgb";
constexpr std::string_view kPoseFolder1 = "vkitti_1.3.1_extrinsicsgt";
constexpr std::string_view kTextFolder2 = "vkitti_2.0.3_textgt";

using Poses = std::unordered_map<int64_t, Rigid3>;

// Lines of `frame [cameraID] m11 … m44` after a header.
Poses ReadExtrinsics(const fs::path& path, bool has_camera_id) {
  TextFile file(path);
  LineReader& reader = file.reader();
  if (!reader.Next().starts_with("frame")) reader.Fail("expected a header that begins with 'frame'");
  Poses world_from_camera;
  for (auto line = reader.Next(); line.data() != nullptr; line = reader.Next()) {
    FieldReader fields(reader, line, ' ',
                       has_camera_id ? "frame cameraID and 16 numbers" : "frame and 16 numbers");
    const auto frame = fields.Nanoseconds();
    const bool is_wanted = !has_camera_id || fields.Nanoseconds() == 0;
    double matrix[16];
    for (double& value : matrix) value = fields.Number();
    fields.ExpectEnd();
    if (!is_wanted) continue;
    const auto camera_from_world = RigidFromMatrix(matrix);
    if (!camera_from_world) reader.Fail("the matrix is not a rigid motion");
    if (!world_from_camera.emplace(frame, camera_from_world->Inverse()).second) {
      reader.Fail(fmt::format("frame {} is there twice", frame));
    }
  }
  return world_from_camera;
}

OpenedSequence Open(const std::string& name, const fs::path& folder, std::string_view prefix,
                    std::string_view suffix, const Poses& poses, const CameraIntrinsics& intrinsics) {
  std::vector<ImageFile> images;
  for (NumberedFile& file : NumberedFiles(folder, prefix, suffix)) {
    ImageFile image{.timestamp_ns = kVirtualKittiRate.TimestampNs(file.number), .path = std::move(file.path)};
    if (const auto pose = poses.find(file.number); pose != poses.end()) {
      image.world_from_camera = pose->second;
    }
    images.push_back(std::move(image));
  }
  return MakeFileSequence(name, folder, std::move(images), intrinsics);
}

// The first row of camera 0; all rows are equal.
CameraIntrinsics ReadIntrinsics(const fs::path& path) {
  TextFile file(path);
  LineReader& reader = file.reader();
  reader.Next();
  for (auto line = reader.Next(); line.data() != nullptr; line = reader.Next()) {
    FieldReader fields(reader, line, ' ', "frame cameraID fx fy cx cy");
    fields.Nanoseconds();
    if (fields.Nanoseconds() != 0) continue;
    CameraIntrinsics intrinsics;
    for (double* value : {&intrinsics.fx, &intrinsics.fy, &intrinsics.cx, &intrinsics.cy}) {
      *value = fields.Number();
    }
    return intrinsics;
  }
  throw Error(path.string() + ": has no row of camera 0");
}

// Text files lie beside frames/, or in the same place below another folder where every archive has its own.
fs::path TextFolder2(const fs::path& path) {
  if (IsFile(path / "extrinsic.txt")) return path;
  const fs::path scene = path.parent_path();
  fs::path elsewhere = scene.parent_path().parent_path() / kTextFolder2 / scene.filename() / path.filename();
  if (IsFile(elsewhere / "extrinsic.txt")) return elsewhere;
  throw Error(fmt::format("{}: has no extrinsic.txt, nor has {}; unpack vkitti_2.0.3_textgt.tar.gz",
                          path.string(), elsewhere.string()));
}

}  // namespace

bool IsVirtualKitti1(const fs::path& path) {
  return path.parent_path().parent_path().filename() == kRgbFolder1;
}

OpenedSequence OpenVirtualKitti1(const fs::path& path, const std::string& name) {
  const fs::path world = path.parent_path();
  const fs::path poses = world.parent_path().parent_path() / kPoseFolder1 /
                         fmt::format("{}_{}.txt", world.filename().string(), path.filename().string());
  const CameraIntrinsics intrinsics{.fx = 725.0, .fy = 725.0, .cx = 620.5, .cy = 187.0};
  return Open(name, path, "", ".png", ReadExtrinsics(poses, false), intrinsics);
}

bool IsVirtualKitti2(const fs::path& path) {
  return IsFolder(path / "frames" / "rgb" / "Camera_0");
}

OpenedSequence OpenVirtualKitti2(const fs::path& path, const std::string& name) {
  const fs::path text = TextFolder2(path);
  return Open(name, path / "frames" / "rgb" / "Camera_0", "rgb_", ".jpg",
              ReadExtrinsics(text / "extrinsic.txt", true), ReadIntrinsics(text / "intrinsic.txt"));
}

}  // namespace calfvo
