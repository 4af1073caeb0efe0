// SPDX-License-Identifier: Apache-2.0
// COLMAP's text and binary models. Pixel coordinates and camera axes are calfvo's own; poses are camera from
// world. Points come without observations, which COLMAP accepts.
#include <fmt/format.h>

#include <string>

#include "calfvo/error.h"
#include "calfvo/trajectory.h"
#include "core/base/atomic_file.h"
#include "core/base/little_endian.h"
#include "core/base/number_text.h"
#include "core/trajectory/camera_file.h"
#include "core/trajectory/pose_checks.h"

namespace calfvo {
namespace {

constexpr double kUnknownError = -1.0;

// A text file and a binary one that grow together.
class FilePair {
 public:
  FilePair(const std::filesystem::path& folder, const std::string& name, const std::string& comment,
           uint64_t count)
      : text_file_(folder / (name + ".txt")), binary_file_(folder / (name + ".bin")), text(comment + "\n") {
    AppendLittleEndian<uint64_t>(count, &binary);
  }
  void Flush() {
    text_file_.Write(text);
    binary_file_.Write(binary);
    text.clear();
    binary.clear();
  }
  void Commit() {
    Flush();
    text_file_.Commit();
    binary_file_.Commit();
  }
  void AddNumber(double value) {
    AppendNumber(value, &(text += ' '));
    AppendLittleEndian<double>(value, &binary);
  }

 private:
  AtomicFile text_file_;
  AtomicFile binary_file_;

 public:
  std::string text;
  std::string binary;
};

void CheckColmapModel(const Trajectory& trajectory, const ColmapModel& model) {
  CheckTrajectory(trajectory, "COLMAP export");
  if (!model.names.empty() && model.names.size() != trajectory.size()) {
    throw Error(
        fmt::format("COLMAP export: {} image names for {} poses", model.names.size(), trajectory.size()));
  }
  for (const std::string& name : model.names) {
    if (name.empty() || name.find_first_of(std::string_view(" \t\r\n\0", 5)) != std::string::npos) {
      throw Error(fmt::format("COLMAP export: image name '{}' is empty or holds blanks", name));
    }
  }
}

void WriteColmapCamera(const Camera& camera, const std::filesystem::path& folder) {
  constexpr int kSimplePinhole = 0;
  constexpr int kSimpleRadial = 2;
  const bool distorts = camera.k1 != 0.0;
  FilePair files(folder, "cameras", "# CAMERA_ID MODEL WIDTH HEIGHT f cx cy [k]", 1);
  if (camera.origin == CameraOrigin::kGuess) {
    files.text += "# The focal length is a guess: it was neither given nor estimated.\n";
  }
  files.text +=
      fmt::format("1 {} {} {}", distorts ? "SIMPLE_RADIAL" : "SIMPLE_PINHOLE", camera.width, camera.height);
  AppendLittleEndian<uint32_t>(1, &files.binary);
  AppendLittleEndian<int32_t>(distorts ? kSimpleRadial : kSimplePinhole, &files.binary);
  AppendLittleEndian<uint64_t>(static_cast<uint64_t>(camera.width), &files.binary);
  AppendLittleEndian<uint64_t>(static_cast<uint64_t>(camera.height), &files.binary);
  files.AddNumber(camera.focal_px);
  files.AddNumber(camera.principal_point.x());
  files.AddNumber(camera.principal_point.y());
  if (distorts) files.AddNumber(camera.k1);
  files.text += '\n';
  files.Commit();
}

void WriteColmapImages(const Trajectory& trajectory, const std::vector<std::string>& names,
                       const std::filesystem::path& folder) {
  FilePair files(folder, "images",
                 "# IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME (camera from world), then a line of points, "
                 "here empty",
                 trajectory.size());
  for (size_t i = 0; i < trajectory.size(); ++i) {
    const Rigid3 camera_from_world = trajectory.world_from_camera[i].Inverse();
    const Quaternion& q = camera_from_world.rotation;
    AppendInteger(static_cast<int64_t>(i) + 1, &files.text);
    AppendLittleEndian<uint32_t>(static_cast<uint32_t>(i + 1), &files.binary);
    for (const double coefficient : {q.w(), q.x(), q.y(), q.z()}) files.AddNumber(coefficient);
    for (const double coordinate : camera_from_world.translation) files.AddNumber(coordinate);
    const std::string name = names.empty() ? fmt::format("frame_{:06}.png", i) : names[i];
    files.text += " 1 " + name + "\n\n";
    AppendLittleEndian<uint32_t>(1, &files.binary);
    files.binary += name + '\0';
    AppendLittleEndian<uint64_t>(0, &files.binary);  // observations
    files.Flush();
  }
  files.Commit();
}

void WriteColmapPoints(const std::vector<MapPoint>& points, const std::filesystem::path& folder) {
  FilePair files(folder, "points3D", "# POINT3D_ID X Y Z R G B ERROR TRACK[]", points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    const MapPoint& point = points[i];
    AppendInteger(static_cast<int64_t>(i) + 1, &files.text);
    AppendLittleEndian<uint64_t>(i + 1, &files.binary);
    for (const double coordinate : point.x_in_world) files.AddNumber(coordinate);
    for (const uint8_t channel : point.rgb) {
      AppendInteger(channel, &(files.text += ' '));
      AppendLittleEndian<uint8_t>(channel, &files.binary);
    }
    files.AddNumber(kUnknownError);
    files.text += '\n';
    AppendLittleEndian<uint64_t>(0, &files.binary);  // observations
    files.Flush();
  }
  files.Commit();
}

}  // namespace

void WriteColmap(const Trajectory& trajectory, const std::filesystem::path& folder,
                 const ColmapModel& model) {
  CheckColmapModel(trajectory, model);
  Camera camera = model.camera;
  if (camera.focal_px == 0.0 && camera.width > 0 && camera.height > 0) {
    camera = GuessedCamera(camera.width, camera.height);
  }
  CheckCamera(camera, "COLMAP export");
  MakeFolder(folder);
  WriteColmapCamera(camera, folder);
  WriteColmapImages(trajectory, model.names, folder);
  WriteColmapPoints(model.points, folder);
}

}  // namespace calfvo
