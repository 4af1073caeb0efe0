// SPDX-License-Identifier: Apache-2.0
#include "core/trajectory/pose_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "calfvo/error.h"
#include "core/base/number_text.h"
#include "core/base/time_span.h"
#include "core/trajectory/formats.h"

namespace calfvo {
namespace {

constexpr double kReadTolerance = 0.01;
constexpr double kUnitTolerance = 1e-6;
// Squares and sums of coordinates up to this stay finite.
constexpr double kMaxCoordinateM = 1e12;

bool IsWithinBounds(const Eigen::Vector3d& position) {
  return position.cwiseAbs().maxCoeff() <= kMaxCoordinateM;
}

}  // namespace

Quaternion CheckedQuaternion(const LineReader& reader, double x, double y, double z, double w) {
  const double squared_norm = x * x + y * y + z * z + w * w;
  constexpr double kUnitToTheLastBits = 4 * std::numeric_limits<double>::epsilon();
  if (std::abs(squared_norm - 1.0) <= kUnitToTheLastBits) return {w, x, y, z};
  const double norm = std::sqrt(squared_norm);
  if (!(std::abs(norm - 1.0) <= kReadTolerance)) {
    reader.Fail(fmt::format("the quaternion x {} y {} z {} w {} has norm {:.6g}; expected 1 within 1 %", x, y,
                            z, w, norm));
  }
  return {w / norm, x / norm, y / norm, z / norm};
}

void AppendChecked(const LineReader& reader, int64_t timestamp_ns, const Rigid3& world_from_camera,
                   Trajectory* trajectory) {
  if (!trajectory->empty() && timestamp_ns <= trajectory->timestamps_ns.back()) {
    std::string now;
    std::string before;
    AppendSeconds(timestamp_ns, &now);
    AppendSeconds(trajectory->timestamps_ns.back(), &before);
    reader.Fail(fmt::format(
        "the time {} s is not after the previous pose's {} s; sort the file by time and drop repeats", now,
        before));
  }
  if (!trajectory->empty() && !TimeSpanFits(trajectory->timestamps_ns.front(), timestamp_ns)) {
    reader.Fail("the time is more than 292 years after the first");
  }
  const Eigen::Vector3d& p = world_from_camera.translation;
  if (!IsWithinBounds(p)) {
    reader.Fail(
        fmt::format("the position x {} y {} z {} is beyond ±{:.0e} m", p.x(), p.y(), p.z(), kMaxCoordinateM));
  }
  trajectory->timestamps_ns.push_back(timestamp_ns);
  trajectory->world_from_camera.push_back(world_from_camera);
}

void CheckTrajectory(const Trajectory& trajectory, std::string_view name) {
  const std::vector<int64_t>& times_ns = trajectory.timestamps_ns;
  const std::vector<Matrix6>& covariances = trajectory.covariances;
  if (times_ns.size() != trajectory.size() ||
      (!covariances.empty() && covariances.size() != trajectory.size())) {
    throw Error(fmt::format("{}: {} poses, {} timestamps and {} covariances do not go together", name,
                            trajectory.size(), times_ns.size(), covariances.size()));
  }
  for (size_t i = 0; i < trajectory.size(); ++i) {
    if (i > 0 && times_ns[i] <= times_ns[i - 1]) {
      throw Error(
          fmt::format("{}: the time of pose {}, {} ns, is not after the previous one's {} ns; sort the "
                      "poses by time and drop repeats",
                      name, i, times_ns[i], times_ns[i - 1]));
    }
    if (!TimeSpanFits(times_ns[0], times_ns[i])) {
      throw Error(fmt::format("{}: the time of pose {}, {} ns, is more than 292 years after the first, {} ns",
                              name, i, times_ns[i], times_ns[0]));
    }
    if (!trajectory.has_time && times_ns[i] % kFrameNs != 0) {
      throw Error(fmt::format(
          "{}: the time of pose {}, {} ns, is not a whole number of frames; without a clock (has_time is "
          "false) times are multiples of {} ns",
          name, i, times_ns[i], kFrameNs));
    }
    const Eigen::Vector3d& p = trajectory.world_from_camera[i].translation;
    if (!p.allFinite()) {
      throw Error(fmt::format("{}: the position of pose {} is not finite: x {} y {} z {}", name, i, p.x(),
                              p.y(), p.z()));
    }
    if (!IsWithinBounds(p)) {
      throw Error(fmt::format("{}: the position of pose {}, x {} y {} z {}, is beyond ±{:.0e} m", name, i,
                              p.x(), p.y(), p.z(), kMaxCoordinateM));
    }
    const Quaternion& q = trajectory.world_from_camera[i].rotation;
    if (!(std::abs(q.norm() - 1.0) <= kUnitTolerance)) {
      throw Error(fmt::format(
          "{}: the quaternion of pose {}, x {} y {} z {} w {}, has norm {:.9g}; expected 1 within 1e-6, so "
          "normalise it",
          name, i, q.x(), q.y(), q.z(), q.w(), q.norm()));
    }
    if (!covariances.empty() && !covariances[i].allFinite()) {
      throw Error(fmt::format("{}: the covariance of pose {} is not finite", name, i));
    }
  }
}

}  // namespace calfvo
