// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "core/base/number_text.h"
#include "core/geometry/procrustes.h"
#include "core/trajectory/formats.h"
#include "core/trajectory/pose_checks.h"

namespace calfvo {
namespace {

constexpr std::string_view kKittiLayout = "r11 r12 r13 tx r21 r22 r23 ty r31 r32 r33 tz";

// Files carry six to nine digits, so the block is a rotation only nearly.
Quaternion CheckedRotation(const LineReader& reader, const Eigen::Matrix3d& block) {
  const Eigen::Matrix3d rotation = NearestRotation(block);
  const double distance = (block - rotation).norm();
  constexpr double kTolerance = 0.01;
  if (!(distance <= kTolerance)) {
    reader.Fail(fmt::format("the 3x3 block is {:.3g} away from a rotation; at most {} expected", distance,
                            kTolerance));
  }
  return Quaternion(rotation);
}

}  // namespace

bool LooksLikeKitti(std::string_view line) {
  return line.find(',') == std::string_view::npos && CountFields(line, ' ') == 12;
}

Trajectory ReadKitti(LineReader& reader) {
  Trajectory trajectory;
  trajectory.has_time = false;
  for (auto line = reader.Next(); line.data() != nullptr; line = reader.Next()) {
    FieldReader fields(reader, line, ' ', kKittiLayout);
    Eigen::Matrix3d block;
    Rigid3 pose;
    for (int row = 0; row < 3; ++row) {
      for (int column = 0; column < 3; ++column) block(row, column) = fields.Number();
      pose.translation[row] = fields.Number();
    }
    fields.ExpectEnd();
    pose.rotation = CheckedRotation(reader, block);
    AppendChecked(reader, static_cast<int64_t>(trajectory.size()) * kFrameNs, pose, &trajectory);
  }
  return trajectory;
}

void AppendKittiLine(const Rigid3& pose, std::string* text) {
  const Eigen::Matrix3d rotation = pose.rotation.toRotationMatrix();
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      AppendNumber(rotation(row, column), text);
      *text += ' ';
    }
    AppendNumber(pose.translation[row], text);
    *text += row < 2 ? ' ' : '\n';
  }
}

void WriteKitti(const Trajectory& trajectory, AtomicFile& file) {
  std::string line;
  for (const Rigid3& pose : trajectory.world_from_camera) {
    AppendKittiLine(pose, &line);
    file.Write(line);
    line.clear();
  }
}

}  // namespace calfvo
