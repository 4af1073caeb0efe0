// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/base/number_text.h"
#include "core/trajectory/formats.h"
#include "core/trajectory/pose_checks.h"

namespace calfvo {
namespace {

constexpr std::string_view kTumLayout = "timestamp tx ty tz qx qy qz qw";

}  // namespace

bool LooksLikeTum(std::string_view line) {
  return line.find(',') == std::string_view::npos && CountFields(line, ' ') == 8;
}

Trajectory ReadTum(LineReader& reader) {
  Trajectory trajectory;
  for (auto line = reader.Next(); line.data() != nullptr; line = reader.Next()) {
    FieldReader fields(reader, line, ' ', kTumLayout);
    const int64_t timestamp_ns = fields.Seconds();
    Rigid3 pose;
    for (double& coordinate : pose.translation) coordinate = fields.Number();
    double xyzw[4];
    for (double& coefficient : xyzw) coefficient = fields.Number();
    fields.ExpectEnd();
    pose.rotation = CheckedQuaternion(reader, xyzw[0], xyzw[1], xyzw[2], xyzw[3]);
    AppendChecked(reader, timestamp_ns, pose, &trajectory);
  }
  return trajectory;
}

void AppendTumLine(int64_t timestamp_ns, const Rigid3& pose, std::string* text) {
  AppendSeconds(timestamp_ns, text);
  for (const double coordinate : pose.translation) AppendNumber(coordinate, &(*text += ' '));
  for (const double coefficient : pose.rotation.coeffs()) AppendNumber(coefficient, &(*text += ' '));
  *text += '\n';
}

void WriteTum(const Trajectory& trajectory, AtomicFile& file) {
  std::string line(kTumHeader);
  for (size_t i = 0; i < trajectory.size(); ++i) {
    AppendTumLine(trajectory.timestamps_ns[i], trajectory.world_from_camera[i], &line);
    file.Write(line);
    line.clear();
  }
  file.Write(line);
}

}  // namespace calfvo
