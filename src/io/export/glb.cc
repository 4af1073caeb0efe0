// SPDX-License-Identifier: Apache-2.0
// Binary glTF 2.0: a JSON chunk and a binary one. glTF knows neither principal point nor distortion.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "calfvo/error.h"
#include "calfvo/version.h"
#include "core/base/atomic_file.h"
#include "core/base/little_endian.h"
#include "core/trajectory/camera_file.h"
#include "io/export/axes.h"
#include "io/export/export_formats.h"

namespace calfvo {
namespace {

using GltfJson = nlohmann::ordered_json;

// glTF's names of types and modes.
constexpr int kUnsignedByte = 5121;
constexpr int kFloat = 5126;
constexpr int kPoints = 0;
constexpr int kLineStrip = 3;

struct GltfFile {
  GltfJson json = {{"asset", {{"version", "2.0"}, {"generator", "calfvo " CALFVO_VERSION}}}};
  std::string binary;

  // Adds an accessor for what was appended to `binary` since `begin`. Returns its number.
  size_t AddAccessor(size_t begin, size_t count, const char* type, int component) {
    json["bufferViews"].push_back(
        {{"buffer", 0}, {"byteOffset", begin}, {"byteLength", binary.size() - begin}});
    GltfJson accessor = {{"bufferView", json["bufferViews"].size() - 1},
                         {"componentType", component},
                         {"count", count},
                         {"type", type}};
    if (component == kUnsignedByte) accessor["normalized"] = true;
    json["accessors"].push_back(accessor);
    return json["accessors"].size() - 1;
  }
  // Positions need their bounds, and so does the time of an animation.
  void AddBounds(size_t accessor, const Eigen::MatrixXf& columns) {
    GltfJson lowest = GltfJson::array();
    GltfJson highest = GltfJson::array();
    for (int row = 0; row < columns.rows(); ++row) {
      lowest.push_back(columns.row(row).minCoeff());
      highest.push_back(columns.row(row).maxCoeff());
    }
    json["accessors"][accessor]["min"] = lowest;
    json["accessors"][accessor]["max"] = highest;
  }
  size_t AddFloats(const Eigen::MatrixXf& columns, const char* type, bool with_bounds) {
    const size_t begin = binary.size();
    binary.append(reinterpret_cast<const char*>(columns.data()),
                  static_cast<size_t>(columns.size()) * sizeof(float));
    const size_t accessor = AddAccessor(begin, static_cast<size_t>(columns.cols()), type, kFloat);
    if (with_bounds) AddBounds(accessor, columns);
    return accessor;
  }
  void AddMesh(const char* name, const GltfJson& attributes, int mode) {
    json["meshes"].push_back(
        {{"name", name}, {"primitives", {{{"attributes", attributes}, {"mode", mode}}}}});
    json["scenes"][0]["nodes"].push_back(json["nodes"].size());
    json["nodes"].push_back({{"name", name}, {"mesh", json["meshes"].size() - 1}});
  }
};

GltfJson CameraOf(const Camera& camera) {
  return {{"name", "calfvo"},
          {"type", "perspective"},
          {"perspective",
           {{"aspectRatio", static_cast<double>(camera.width) / camera.height},
            {"yfov", 2.0 * std::atan(camera.height / (2.0 * camera.focal_px))},
            {"znear", 0.01}}},
          {"extras", {{"camera_origin", CameraOriginName(camera.origin)}}}};
}

void AddAnimatedCamera(const ExportedRun& run, GltfFile& file) {
  const Trajectory& trajectory = run.trajectory;
  const auto count = static_cast<Eigen::Index>(trajectory.size());
  Eigen::MatrixXf times(1, count);
  Eigen::MatrixXf places(3, count);
  Eigen::MatrixXf rotations(4, count);
  Quaternion before = Quaternion::Identity();
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto index = static_cast<size_t>(i);
    const Rigid3 pose = InAxes(GltfAxes(), trajectory.world_from_camera[index]);
    before = NearerSign(before, pose.rotation);
    times(0, i) = static_cast<float>(
        1e-9 * static_cast<double>(trajectory.timestamps_ns[index] - trajectory.timestamps_ns[0]));
    places.col(i) = pose.translation.cast<float>();
    rotations.col(i) = before.coeffs().cast<float>();
  }
  file.json["cameras"].push_back(CameraOf(run.camera));
  const auto first = [](const Eigen::MatrixXf& columns) {
    return std::vector<float>(columns.data(), columns.data() + columns.rows());
  };
  file.json["nodes"].push_back(
      {{"name", "calfvo"}, {"camera", 0}, {"translation", first(places)}, {"rotation", first(rotations)}});
  file.json["scenes"].push_back({{"nodes", {0}}});
  const size_t time = file.AddFloats(times, "SCALAR", true);
  const size_t place = file.AddFloats(places, "VEC3", true);
  const size_t rotation = file.AddFloats(rotations, "VEC4", false);
  file.json["animations"].push_back(
      {{"name", "calfvo"},
       {"samplers", {{{"input", time}, {"output", place}}, {{"input", time}, {"output", rotation}}}},
       {"channels",
        {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "translation"}}}},
         {{"sampler", 1}, {"target", {{"node", 0}, {"path", "rotation"}}}}}}});
  if (count > 1) file.AddMesh("calfvo path", {{"POSITION", place}}, kLineStrip);
}

void AddPoints(const std::vector<MapPoint>& points, GltfFile& file) {
  if (points.empty()) return;
  Eigen::MatrixXf places(3, static_cast<Eigen::Index>(points.size()));
  for (size_t i = 0; i < points.size(); ++i) {
    places.col(static_cast<Eigen::Index>(i)) =
        (GltfAxes().world_from_calfvo * points[i].x_in_world).cast<float>();
  }
  const size_t position = file.AddFloats(places, "VEC3", true);
  const size_t begin = file.binary.size();
  for (const MapPoint& point : points) {
    file.binary.append(reinterpret_cast<const char*>(point.rgb), 3) +=
        '\xff';  // opaque; aligns to four bytes
  }
  const size_t colour = file.AddAccessor(begin, points.size(), "VEC4", kUnsignedByte);
  file.AddMesh("calfvo points", {{"POSITION", position}, {"COLOR_0", colour}}, kPoints);
}

void AppendGlbChunk(std::string_view type, std::string content, char padding, std::string* bytes) {
  content.append((4 - content.size() % 4) % 4, padding);
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(content.size()), bytes);
  bytes->append(type) += content;
}

}  // namespace

void WriteGlb(const ExportedRun& run, const std::filesystem::path& path) {
  GltfFile file;
  file.json["scene"] = 0;
  AddAnimatedCamera(run, file);
  AddPoints(run.points, file);
  if (file.binary.size() > size_t{1} << 31) {
    throw Error(fmt::format("{}: would have over 2 GiB, the most that glTF files hold", path.string()));
  }
  file.json["buffers"].push_back({{"byteLength", file.binary.size()}});
  std::string chunks;
  AppendGlbChunk("JSON", file.json.dump(), ' ', &chunks);
  AppendGlbChunk(std::string_view("BIN\0", 4), std::move(file.binary), '\0', &chunks);
  std::string header = "glTF";
  AppendLittleEndian<uint32_t>(2, &header);
  AppendLittleEndian<uint32_t>(static_cast<uint32_t>(12 + chunks.size()), &header);
  AtomicFile out(path);
  out.Write(header);
  out.Write(chunks);
  out.Commit();
}

}  // namespace calfvo
