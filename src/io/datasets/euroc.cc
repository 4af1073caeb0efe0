// SPDX-License-Identifier: Apache-2.0
// EuRoC MAV in the ASL layout: the left camera, with ground truth of the body it is mounted on.
#include <fmt/format.h>

#include <utility>

#include "calfvo/error.h"
#include "calfvo/trajectory.h"
#include "core/base/number_text.h"
#include "core/base/quoted.h"
#include "io/datasets/file_sequence.h"
#include "io/datasets/loaders.h"
#include "io/datasets/paths.h"
#include "io/datasets/pose_text.h"
#include "io/datasets/time_match.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

// Camera and ground truth differ by up to 256 ns where they mean the same time.
constexpr int64_t kMatchLimitNs = 1'000'000;

// sensor.yaml without its comments. Of YAML we need lists of numbers only.
std::string ReadSensor(const fs::path& path) {
  TextFile file(path);
  constexpr size_t kMostBytes = 1 << 20;
  std::string text;
  for (auto line = file.reader().Next(); line.data() != nullptr; line = file.reader().Next()) {
    if (text.size() > kMostBytes) file.reader().Fail("the file is too long for a sensor's description");
    text.append(line.substr(0, line.find('#'))) += '\n';
  }
  return text;
}

// The numbers of the list `key: [1, 2, …]`, the first such key at or after `start`.
std::vector<double> List(const std::string& text, const fs::path& path, std::string_view key, size_t count,
                         size_t start = 0) {
  const size_t at = text.find(fmt::format("{}:", key), start);
  const size_t open = text.find('[', at);
  const size_t close = text.find(']', open);
  if (at == std::string::npos || close == std::string::npos) {
    throw Error(fmt::format("{}: has no list '{}: [...]'", path.string(), key));
  }
  std::vector<double> numbers;
  constexpr std::string_view kBetween = ", \t\n";
  std::string_view rest = std::string_view(text).substr(open + 1, close - open - 1);
  for (size_t from = rest.find_first_not_of(kBetween); from != std::string_view::npos;
       from = rest.find_first_not_of(kBetween)) {
    rest.remove_prefix(from);
    const std::string_view field = rest.substr(0, rest.find_first_of(kBetween));
    rest.remove_prefix(field.size());
    if (!ParseNumber(field, &numbers.emplace_back())) {
      throw Error(fmt::format("{}: {} in '{}' is not a number", path.string(), Quoted(field), key));
    }
  }
  if (numbers.size() != count) {
    throw Error(
        fmt::format("{}: '{}' has {} numbers; expected {}", path.string(), key, numbers.size(), count));
  }
  return numbers;
}

Rigid3 BodyFromCamera(const std::string& sensor, const fs::path& path) {
  const size_t start = sensor.find("T_BS:");
  if (start == std::string::npos) throw Error(path.string() + ": has no T_BS");
  const auto pose = RigidFromMatrix(std::span<const double, 16>(List(sensor, path, "data", 16, start)));
  if (!pose) throw Error(path.string() + ": T_BS is not a rigid motion");
  return *pose;
}

CameraIntrinsics Intrinsics(const std::string& sensor, const fs::path& path) {
  const auto k = List(sensor, path, "intrinsics", 4);
  const auto d = List(sensor, path, "distortion_coefficients", 4);
  return {k[0], k[1], k[2], k[3], {d[0], d[1], d[2], d[3], 0.0}};
}

std::vector<ImageFile> ReadImages(const fs::path& camera) {
  TextFile file(camera / "data.csv");
  std::vector<ImageFile> images;
  for (auto line = file.reader().Next(); line.data() != nullptr; line = file.reader().Next()) {
    FieldReader fields(file.reader(), line, ',', "timestamp [ns],filename");
    ImageFile image{.timestamp_ns = fields.Nanoseconds()};
    image.path = camera / "data" / fields.Text();
    fields.ExpectEnd();
    images.push_back(std::move(image));
  }
  return images;
}

}  // namespace

bool IsEuroc(const fs::path& path) {
  return IsFile(path / "mav0" / "cam0" / "data.csv");
}

OpenedSequence OpenEuroc(const fs::path& path, const std::string& name) {
  const fs::path camera = path / "mav0" / "cam0";
  const fs::path sensor_path = camera / "sensor.yaml";
  const std::string sensor = ReadSensor(sensor_path);
  const Rigid3 body_from_camera = BodyFromCamera(sensor, sensor_path);
  std::vector<ImageFile> images = ReadImages(camera);

  const fs::path poses_path = path / "mav0" / "state_groundtruth_estimate0" / "data.csv";
  if (IsFile(poses_path)) {
    const Trajectory body = ReadTrajectory(poses_path, TrajectoryFormat::kEuroc);
    // The recordings begin before their ground truth does, and may go on after it.
    std::erase_if(images, [&](ImageFile& image) {
      const int64_t time_ns = image.timestamp_ns;
      const auto match = MatchNearest(time_ns, body.timestamps_ns, kMatchLimitNs);
      if (match) image.world_from_camera = body.world_from_camera[*match] * body_from_camera;
      return !match && (time_ns < body.timestamps_ns.front() || time_ns > body.timestamps_ns.back());
    });
  }
  return MakeFileSequence(name, path, std::move(images), Intrinsics(sensor, sensor_path));
}

}  // namespace calfvo
