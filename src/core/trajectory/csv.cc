// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <string>

#include "core/base/number_text.h"
#include "core/trajectory/formats.h"
#include "core/trajectory/pose_checks.h"

namespace calfvo {
namespace {

constexpr std::string_view kTimed = "timestamp_ns";
constexpr std::string_view kUntimed = "frame";
constexpr std::string_view kPoseColumns = ",tx,ty,tz,qx,qy,qz,qw";
constexpr std::string_view kFirstCovarianceColumn = ",cov_px_px";

// ",cov_px_px,cov_px_py,…,cov_rz_rz": the 21 entries of the upper triangle, row by row.
std::string CovarianceColumns() {
  constexpr std::array<std::string_view, 6> kAxes = {"px", "py", "pz", "rx", "ry", "rz"};
  std::string columns;
  for (size_t row = 0; row < 6; ++row) {
    for (size_t column = row; column < 6; ++column)
      columns += fmt::format(",cov_{}_{}", kAxes[row], kAxes[column]);
  }
  return columns;
}

Matrix6 ReadCovariance(FieldReader& fields) {
  Matrix6 covariance;
  for (int row = 0; row < 6; ++row) {
    for (int column = row; column < 6; ++column) {
      covariance(row, column) = covariance(column, row) = fields.Number();
    }
  }
  return covariance;
}

}  // namespace

bool LooksLikeCsv(std::string_view line) {
  return line.starts_with(kTimed) || line.starts_with(kUntimed);
}

Trajectory ReadCsv(LineReader& reader) {
  Trajectory trajectory;
  const std::string header(reader.Next());
  trajectory.has_time = header.starts_with(kTimed);
  const bool has_covariance = header.find(kFirstCovarianceColumn) != std::string::npos;
  const std::string layout = CsvHeader(trajectory.has_time, has_covariance);
  const bool complete =
      header.starts_with(layout) && (header.size() == layout.size() || header[layout.size()] == ',');
  if (!complete) reader.Fail(fmt::format("unknown header; expected '{}'", layout));

  for (auto line = reader.Next(); line.data() != nullptr; line = reader.Next()) {
    FieldReader fields(reader, line, ',', layout);
    int64_t timestamp_ns = fields.Nanoseconds();
    if (!trajectory.has_time && __builtin_mul_overflow(timestamp_ns, kFrameNs, &timestamp_ns)) {
      reader.Fail("the frame number is too large");
    }
    Rigid3 pose;
    for (double& coordinate : pose.translation) coordinate = fields.Number();
    double xyzw[4];
    for (double& coefficient : xyzw) coefficient = fields.Number();
    pose.rotation = CheckedQuaternion(reader, xyzw[0], xyzw[1], xyzw[2], xyzw[3]);
    if (has_covariance) trajectory.covariances.push_back(ReadCovariance(fields));
    AppendChecked(reader, timestamp_ns, pose, &trajectory);
  }
  return trajectory;
}

std::string CsvHeader(bool has_time, bool has_covariance) {
  return fmt::format("{}{}{}", has_time ? kTimed : kUntimed, kPoseColumns,
                     has_covariance ? CovarianceColumns() : "");
}

void AppendCsvRow(int64_t time, const Rigid3& pose, const Matrix6* covariance, std::string* text) {
  AppendInteger(time, text);
  for (const double coordinate : pose.translation) AppendNumber(coordinate, &(*text += ','));
  for (const double coefficient : pose.rotation.coeffs()) AppendNumber(coefficient, &(*text += ','));
  for (int row = 0; covariance != nullptr && row < 6; ++row) {
    for (int column = row; column < 6; ++column) AppendNumber((*covariance)(row, column), &(*text += ','));
  }
}

void WriteCsv(const Trajectory& trajectory, AtomicFile& file) {
  const bool has_covariance = !trajectory.covariances.empty();
  std::string line = CsvHeader(trajectory.has_time, has_covariance) + '\n';
  for (size_t i = 0; i < trajectory.size(); ++i) {
    const int64_t timestamp_ns = trajectory.timestamps_ns[i];
    AppendCsvRow(trajectory.has_time ? timestamp_ns : timestamp_ns / kFrameNs,
                 trajectory.world_from_camera[i], has_covariance ? &trajectory.covariances[i] : nullptr,
                 &line);
    line += '\n';
    file.Write(line);
    line.clear();
  }
  file.Write(line);
}

}  // namespace calfvo
