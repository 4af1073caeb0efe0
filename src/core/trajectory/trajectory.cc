// SPDX-License-Identifier: Apache-2.0
#include "calfvo/trajectory.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "calfvo/error.h"
#include "core/trajectory/formats.h"
#include "core/trajectory/pose_checks.h"

namespace calfvo {
namespace {

struct FormatRow {
  TrajectoryFormat format;
  std::string_view name;
  bool (*looks_like)(std::string_view first_line);  // null when it cannot be read
  Trajectory (*read)(LineReader& reader);
  void (*write)(const Trajectory& trajectory, AtomicFile& file);
};

constexpr std::array kFormats = {
    FormatRow{TrajectoryFormat::kTum, "tum", LooksLikeTum, ReadTum, WriteTum},
    FormatRow{TrajectoryFormat::kKitti, "kitti", LooksLikeKitti, ReadKitti, WriteKitti},
    FormatRow{TrajectoryFormat::kEuroc, "euroc", LooksLikeEuroc, ReadEuroc, WriteEuroc},
    FormatRow{TrajectoryFormat::kCsv, "csv", LooksLikeCsv, ReadCsv, WriteCsv},
    FormatRow{TrajectoryFormat::kNpz, "npz", nullptr, nullptr, WriteNpz},
};

const FormatRow& Row(TrajectoryFormat format) {
  for (const FormatRow& row : kFormats) {
    if (row.format == format) return row;
  }
  throw Error(fmt::format("unknown trajectory format {}", static_cast<int>(format)));
}

const FormatRow& DetectFormat(LineReader& reader) {
  const std::string_view line = reader.Peek();
  for (const FormatRow& row : kFormats) {
    if (row.looks_like != nullptr && row.looks_like(line)) return row;
  }
  reader.Fail(
      fmt::format("{} blank-separated and {} comma-separated fields; expected TUM (8 numbers), KITTI (12 "
                  "numbers), EuRoC (8 or more, commas) or a calfvo CSV (header 'timestamp_ns,...')",
                  CountFields(line, ' '), CountFields(line, ',')));
}

}  // namespace

TrajectoryFormat TrajectoryFormatFromName(std::string_view name) {
  for (const FormatRow& row : kFormats) {
    if (row.name == name) return row.format;
  }
  throw Error(fmt::format("unknown trajectory format '{}'; expected tum, kitti, euroc, csv or npz", name));
}

std::string_view TrajectoryFormatName(TrajectoryFormat format) {
  return Row(format).name;
}

Trajectory ReadTrajectory(std::istream& stream, const std::string& name,
                          std::optional<TrajectoryFormat> format) {
  LineReader reader(stream, name);
  if (reader.Peek().data() == nullptr) throw Error(name + ": holds no poses (only blank lines or comments)");
  const FormatRow& row = format.has_value() ? Row(*format) : DetectFormat(reader);
  if (row.read == nullptr) throw Error(fmt::format("{}: {} can be written but not read", name, row.name));
  Trajectory trajectory = row.read(reader);
  if (trajectory.empty()) throw Error(name + ": holds no poses (only a header)");
  return trajectory;
}

Trajectory ReadTrajectory(const std::filesystem::path& path, std::optional<TrajectoryFormat> format) {
  std::error_code ignored;  // opening it reports it
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(fmt::format("{}: is a folder; a trajectory file was expected", path.string()));
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw Error(fmt::format("{}: cannot open: {}", path.string(), std::generic_category().message(errno)));
  }
  return ReadTrajectory(stream, path.string(), format);
}

void WriteTrajectory(const Trajectory& trajectory, const std::filesystem::path& path,
                     TrajectoryFormat format) {
  CheckTrajectory(trajectory, path.string());
  AtomicFile file(path);
  Row(format).write(trajectory, file);
  file.Commit();
}

}  // namespace calfvo
