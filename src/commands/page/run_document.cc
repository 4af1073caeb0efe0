// SPDX-License-Identifier: Apache-2.0
#include "commands/page/run_document.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "calfvo/error.h"
#include "calfvo/trajectory.h"
#include "commands/page/column.h"
#include "commands/page/pose_table.h"
#include "core/base/line_reader.h"
#include "core/trajectory/camera_file.h"
#include "core/trajectory/point_cloud.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

bool Exists(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

template <typename T>
std::string ColumnOf(const std::vector<T>& values) {
  return Column(std::span<const T>(values));
}

void AppendPosition(const Eigen::Vector3d& position, std::vector<float>& values) {
  for (const double value : position) values.push_back(static_cast<float>(value));
}

Json TruthJson(const Trajectory& truth, int64_t first_timestamp_ns) {
  std::vector<double> time;
  std::vector<float> position;
  std::vector<float> quaternion;
  const size_t stride = truth.size() / PoseTable::kMaxPoses + 1;
  for (size_t i = 0; i < truth.size(); i += stride) {
    int64_t since_first_ns = 0;  // times of a file from elsewhere may be too far apart for it
    if (__builtin_sub_overflow(truth.timestamps_ns[i], first_timestamp_ns, &since_first_ns)) continue;
    time.push_back(1e-9 * static_cast<double>(since_first_ns));
    AppendPosition(truth.world_from_camera[i].translation, position);
    for (const double value : truth.world_from_camera[i].rotation.coeffs())
      quaternion.push_back(static_cast<float>(value));
  }
  return {{"time", ColumnOf(time)}, {"position", ColumnOf(position)}, {"quaternion", ColumnOf(quaternion)}};
}

// The network's own path has a pose for each refined one.
Json NetworkJson(const fs::path& path, const PoseTable& poses) {
  const Trajectory network = ReadTrajectory(path, TrajectoryFormat::kTum);
  if (static_cast<int64_t>(network.size()) != poses.added()) {
    throw Error(fmt::format("{}: has {} poses, poses.csv beside it has {}", path.string(), network.size(),
                            poses.added()));
  }
  std::vector<float> position;
  for (size_t i = 0; i < network.size(); i += static_cast<size_t>(poses.stride()))
    AppendPosition(network.world_from_camera[i].translation, position);
  return {{"position", ColumnOf(position)}};
}

Json PointsJson(const std::vector<MapPoint>& points, size_t max_points) {
  const size_t stride = points.size() / (max_points + 1) + 1;
  std::vector<float> position;
  std::vector<uint8_t> color;
  for (size_t i = 0; i < points.size(); i += stride) {
    AppendPosition(points[i].x_in_world, position);
    color.insert(color.end(), points[i].rgb, points[i].rgb + 3);
  }
  return {{"position", ColumnOf(position)}, {"color", ColumnOf(color)}, {"total", points.size()}};
}

Json LoopsJson(const fs::path& path, const PoseTable& poses) {
  std::ifstream stream(path, std::ios::binary);
  std::vector<uint32_t> pose;
  std::vector<uint32_t> inliers;
  for (const LoopEdge& loop : ReadLoops(stream, path.string())) {
    for (const int frame : {loop.first_frame, loop.second_frame}) {
      if (frame >= poses.added()) {
        throw Error(
            fmt::format("{}: a loop names pose {}, but there are {}", path.string(), frame, poses.added()));
      }
      pose.push_back(static_cast<uint32_t>(
          std::min<int64_t>(frame / poses.stride(), static_cast<int64_t>(poses.size()) - 1)));
    }
    inliers.push_back(static_cast<uint32_t>(loop.inliers));
  }
  return {{"pose", ColumnOf(pose)}, {"inliers", ColumnOf(inliers)}};
}

// `name` of `from`, if it is there and of that type.
void Copy(const Json& from, const char* name, Json::value_t type, Json& to) {
  if (!from.is_object() || !from.contains(name)) return;
  const bool is_number = type == Json::value_t::number_float && from[name].is_number();
  if (is_number || from[name].type() == type) to[name] = from[name];
}

// What refinement wrote.
void AddRefinement(const fs::path& folder, const PoseTable& poses, size_t max_points, Json& json) {
  if (Exists(folder / "network.tum")) json["network"] = NetworkJson(folder / "network.tum", poses);
  if (Exists(folder / "points.ply"))
    json["points"] = PointsJson(ReadPoints(folder / "points.ply"), max_points);
  if (Exists(folder / "loops.csv")) json["loops"] = LoopsJson(folder / "loops.csv", poses);
  if (Exists(folder / "camera.json"))
    json["camera"] = Json::parse(CameraJson(ReadCamera(folder / "camera.json")));
}

}  // namespace

std::vector<LoopEdge> ReadLoops(std::istream& stream, const std::string& name) {
  constexpr std::string_view kLayout = "first_frame,second_frame,inliers";
  LineReader reader(stream, name);
  if (reader.Next() != kLayout) reader.Fail(fmt::format("unknown header; expected '{}'", kLayout));
  std::vector<LoopEdge> loops;
  for (auto line = reader.Next(); line.data() != nullptr; line = reader.Next()) {
    FieldReader fields(reader, line, ',', kLayout);
    const auto integer = [&] {
      const double value = fields.Number();
      if (!(value >= 0 && value <= 2e9 && value == static_cast<double>(static_cast<int>(value))))
        reader.Fail("expected whole numbers from 0 to 2e9");
      return static_cast<int>(value);
    };
    LoopEdge& loop = loops.emplace_back();
    loop.first_frame = integer();
    loop.second_frame = integer();
    loop.inliers = integer();
    fields.ExpectEnd();
    if (loops.size() > kMaxLoops) reader.Fail(fmt::format("more than {} loops", kMaxLoops));
  }
  return loops;
}

std::string RunDocumentJson(const fs::path& folder, const std::string& run_json, const std::string& title,
                            const DocumentOptions& options) {
  using Type = Json::value_t;
  const PoseTable poses = ReadPoseTable(folder / "poses.csv");
  const Json run = Json::parse(run_json, nullptr, /*allow_exceptions=*/false);
  Json json = {{"format", 1}, {"title", title}, {"frames", poses.added()}, {"stride", poses.stride()}};
  Copy(run, "version", Type::string, json);
  Copy(run, "source", Type::string, json);
  if (run.is_object()) {
    if (run.contains("model")) {
      Json model;
      Copy(run["model"], "name", Type::string, model);
      if (!model.is_null()) json["model"] = model["name"];
    }
    if (run.contains("options")) Copy(run["options"], "max_diff_s", Type::number_float, json);
  }
  Copy(run, "eval", Type::object, json);
  Copy(run, "damages", Type::array, json);
  if (options.full_frames) json["full_frames"] = true;
  if (Exists(folder / "groundtruth.tum")) {
    json["truth"] = TruthJson(ReadTrajectory(folder / "groundtruth.tum", TrajectoryFormat::kTum),
                              poses.first_timestamp_ns());
  }
  if (run.is_object() && run.contains("refine")) AddRefinement(folder, poses, options.max_points, json);
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  // The largest part is text already.
  text.pop_back();
  text += ",\"path\":" + poses.ColumnsJson() + "}";
  for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace calfvo
