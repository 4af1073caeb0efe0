// SPDX-License-Identifier: Apache-2.0
// Drift over stretches of road.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "calfvo/evaluation.h"

namespace calfvo {

// The KITTI odometry benchmark's errors: from every tenth frame, for each length of 100, 200, …, 800 m, the
// segment ends at the first frame further along the reference's path than that length; its errors are those
// of the relative pose, divided by the length, averaged over all segments of all lengths. `reference` and
// `estimate` return pose i of `count`. Absent when no segment fits.
std::optional<SegmentErrors> KittiSegments(size_t count, const std::function<Rigid3(size_t)>& reference,
                                           const std::function<Rigid3(size_t)>& estimate);

}  // namespace calfvo
