// SPDX-License-Identifier: Apache-2.0
#include "trajectory/pose_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>

#include "trajectory/number_text.h"

namespace calfvo {

Quaternion CheckedQuaternion(const LineReader& reader, double x, double y, double z, double w) {
  const double squared_norm = x * x + y * y + z * z + w * w;
  constexpr double kUnitToTheLastBits = 4 * std::numeric_limits<double>::epsilon();
  if (std::abs(squared_norm - 1.0) <= kUnitToTheLastBits) return {w, x, y, z};
  const double norm = std::sqrt(squared_norm);
  constexpr double kTolerance = 0.01;
  if (!(std::abs(norm - 1.0) <= kTolerance)) {
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
  trajectory->timestamps_ns.push_back(timestamp_ns);
  trajectory->world_from_camera.push_back(world_from_camera);
}

}  // namespace calfvo
