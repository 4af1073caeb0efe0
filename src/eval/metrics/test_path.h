// SPDX-License-Identifier: Apache-2.0
// Paths whose relative errors are known. Included by tests only.
#pragma once

#include <numbers>
#include <vector>

#include "calfvo/trajectory.h"
#include "core/geometry/so3.h"

namespace calfvo {

inline constexpr double kDegree = std::numbers::pi / 180.0;

// Three edges ahead by 1 m, turning by 2°, and one of 5 m that does not turn.
inline std::vector<Rigid3> FourMotions() {
  const Rigid3 common{ExpSO3({0.0, 2.0 * kDegree, 0.0}), {0.0, 0.0, 1.0}};
  return {common, common, {Quaternion::Identity(), {0.0, 0.0, 5.0}}, common};
}

inline Trajectory Path(const std::vector<Rigid3>& motions) {
  Trajectory path{.timestamps_ns = {0},
                  .world_from_camera = {Rigid3{ExpSO3({0.3, 0.2, 0.1}), {5.0, 6.0, 7.0}}}};
  for (const Rigid3& motion : motions) {
    path.timestamps_ns.push_back(path.timestamps_ns.back() + 100'000'000);
    path.world_from_camera.push_back(path.world_from_camera.back() * motion);
  }
  return path;
}

}  // namespace calfvo
