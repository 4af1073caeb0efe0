// SPDX-License-Identifier: Apache-2.0
#include "core/trajectory/point_cloud.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <string>
#include <system_error>

#include "calfvo/error.h"
#include "core/base/atomic_file.h"
#include "core/base/little_endian.h"
#include "core/base/quoted.h"

namespace calfvo {
namespace {

constexpr std::string_view kProperties =
    "property float x\n"
    "property float y\n"
    "property float z\n"
    "property uchar red\n"
    "property uchar green\n"
    "property uchar blue\n"
    "property int first_frame\n"
    "property int views\n"
    "end_header\n";
constexpr std::string_view kStart = "ply\nformat binary_little_endian 1.0\n";
constexpr std::string_view kElement = "element vertex ";
constexpr size_t kRecordBytes = 3 * sizeof(float) + 3 + 2 * sizeof(int32_t);

[[noreturn]] void FailPly(std::string_view name, std::string_view problem) {
  throw Error(fmt::format("{}: {}", name, problem));
}

std::string_view TakeLine(std::string_view& rest) {
  const size_t end = rest.find('\n');
  if (end == std::string_view::npos) return {};
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

// The number of records that the header announces; `rest` becomes what follows it.
size_t TakeHeader(std::string_view& rest, std::string_view name) {
  if (!rest.starts_with(kStart)) FailPly(name, "is not a binary little-endian PLY file");
  rest.remove_prefix(kStart.size());
  while (rest.starts_with("comment ")) {
    if (TakeLine(rest).empty()) FailPly(name, "ends within the PLY header");
  }
  const std::string_view line = TakeLine(rest);
  size_t count = 0;
  const bool is_element = line.starts_with(kElement);
  const char* end = line.data() + line.size();
  const auto [last, error] = std::from_chars(is_element ? line.data() + kElement.size() : end, end, count);
  if (!is_element || error != std::errc() || last != end) {
    FailPly(name, fmt::format("{} in the PLY header; expected 'element vertex N'", Quoted(line)));
  }
  if (!rest.starts_with(kProperties)) {
    FailPly(
        name,
        "expected the PLY properties float x y z, uchar red green blue, int first_frame views and no others");
  }
  rest.remove_prefix(kProperties.size());
  return count;
}

}  // namespace

void WritePoints(const std::vector<MapPoint>& points, const std::filesystem::path& path) {
  AtomicFile file(path);
  std::string bytes =
      fmt::format("{}comment calfvo map points: metres, in the world of trajectory.tum\n{}{}\n{}", kStart,
                  kElement, points.size(), kProperties);
  for (const MapPoint& point : points) {
    const Eigen::Vector3f x_in_world = point.x_in_world.cast<float>();
    if (!x_in_world.allFinite()) FailPly(path.string(), "a point's coordinate is not finite");
    if (point.first_frame < 0 || point.views < 0) FailPly(path.string(), "a point's count is negative");
    for (const float coordinate : x_in_world) AppendLittleEndian<float>(coordinate, &bytes);
    for (const uint8_t channel : point.rgb) AppendLittleEndian<uint8_t>(channel, &bytes);
    AppendLittleEndian<int32_t>(point.first_frame, &bytes);
    AppendLittleEndian<int32_t>(point.views, &bytes);
    if (bytes.size() < 64 << 10) continue;
    file.Write(bytes);
    bytes.clear();
  }
  file.Write(bytes);
  file.Commit();
}

std::vector<MapPoint> ParsePoints(std::string_view bytes, std::string_view name) {
  const size_t count = TakeHeader(bytes, name);
  if (bytes.size() / kRecordBytes != count || bytes.size() % kRecordBytes != 0) {
    FailPly(name, fmt::format("{} bytes follow the PLY header; expected {} points of {} bytes", bytes.size(),
                              count, kRecordBytes));
  }
  std::vector<MapPoint> points(count);
  for (size_t i = 0; i < count; ++i) {
    const char* record = bytes.data() + i * kRecordBytes;
    MapPoint& point = points[i];
    for (int axis = 0; axis < 3; ++axis) {
      point.x_in_world[axis] = ReadLittleEndian<float>(record);
      record += sizeof(float);
    }
    for (uint8_t& channel : point.rgb) channel = static_cast<uint8_t>(*record++);
    point.first_frame = ReadLittleEndian<int32_t>(record);
    point.views = ReadLittleEndian<int32_t>(record + sizeof(int32_t));
    if (!point.x_in_world.allFinite()) FailPly(name, fmt::format("point {} is not finite", i));
    if (point.first_frame < 0 || point.views < 0) {
      FailPly(name, fmt::format("point {} has a negative count", i));
    }
  }
  return points;
}

std::vector<MapPoint> ReadPoints(const std::filesystem::path& path) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (error) FailPly(path.string(), fmt::format("cannot be read: {}", error.message()));
  std::string bytes(size, '\0');
  std::ifstream stream(path, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  if (stream.gcount() != static_cast<std::streamsize>(size)) FailPly(path.string(), "cannot be read");
  return ParsePoints(bytes, path.string());
}

}  // namespace calfvo
