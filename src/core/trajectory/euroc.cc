// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/base/number_text.h"
#include "core/trajectory/formats.h"
#include "core/trajectory/pose_checks.h"

namespace calfvo {
namespace {

constexpr std::string_view kEurocLayout = "timestamp_ns,px,py,pz,qw,qx,qy,qz[,...]";

}  // namespace

bool LooksLikeEuroc(std::string_view line) {
  return CountFields(line, ',') >= 8 && !LooksLikeCsv(line);
}

Trajectory ReadEuroc(LineReader& reader) {
  Trajectory trajectory;
  for (auto line = reader.Next(); line.data() != nullptr; line = reader.Next()) {
    FieldReader fields(reader, line, ',', kEurocLayout);
    const int64_t timestamp_ns = fields.Nanoseconds();
    Rigid3 pose;
    for (double& coordinate : pose.translation) coordinate = fields.Number();
    double wxyz[4];
    for (double& coefficient : wxyz) coefficient = fields.Number();
    for (int extra = CountFields(line, ',') - 8; extra > 0; --extra) fields.Number();
    pose.rotation = CheckedQuaternion(reader, wxyz[1], wxyz[2], wxyz[3], wxyz[0]);
    AppendChecked(reader, timestamp_ns, pose, &trajectory);
  }
  return trajectory;
}

void WriteEuroc(const Trajectory& trajectory, AtomicFile& file) {
  std::string line =
      "#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []\n";
  for (size_t i = 0; i < trajectory.size(); ++i) {
    const Rigid3& pose = trajectory.world_from_camera[i];
    AppendInteger(trajectory.timestamps_ns[i], &line);
    for (const double coordinate : pose.translation) AppendNumber(coordinate, &(line += ','));
    const Quaternion& q = pose.rotation;
    for (const double coefficient : {q.w(), q.x(), q.y(), q.z()}) AppendNumber(coefficient, &(line += ','));
    line += '\n';
    file.Write(line);
    line.clear();
  }
  file.Write(line);
}

}  // namespace calfvo
