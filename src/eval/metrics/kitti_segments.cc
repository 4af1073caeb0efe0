// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/kitti_segments.h"

#include <algorithm>
#include <numbers>
#include <vector>

#include "core/geometry/so3.h"

namespace calfvo {

std::optional<SegmentErrors> KittiSegments(size_t count, const std::function<Rigid3(size_t)>& reference,
                                           const std::function<Rigid3(size_t)>& estimate) {
  std::vector<double> travelled_m(count, 0.0);
  for (size_t i = 1; i < count; ++i) {
    travelled_m[i] = travelled_m[i - 1] + (reference(i).translation - reference(i - 1).translation).norm();
  }
  double translation = 0.0;
  double rotation_rad = 0.0;
  size_t segments = 0;
  for (size_t first = 0; first < count; first += 10) {
    for (int length_m = 100; length_m <= 800; length_m += 100) {
      const auto last = std::upper_bound(travelled_m.begin() + static_cast<std::ptrdiff_t>(first),
                                         travelled_m.end(), travelled_m[first] + length_m);
      if (last == travelled_m.end()) break;
      const auto i = static_cast<size_t>(last - travelled_m.begin());
      const Rigid3 reference_motion = reference(first).Inverse() * reference(i);
      const Rigid3 estimate_motion = estimate(first).Inverse() * estimate(i);
      const Rigid3 error = estimate_motion.Inverse() * reference_motion;
      translation += error.translation.norm() / length_m;
      rotation_rad += RotationAngle(error.rotation) / length_m;
      ++segments;
    }
  }
  if (segments == 0) return {};
  const auto n = static_cast<double>(segments);
  return SegmentErrors{100.0 * translation / n, rotation_rad / n * 180.0 / std::numbers::pi, segments};
}

}  // namespace calfvo
