// SPDX-License-Identifier: Apache-2.0
// Which pose of one trajectory belongs to which pose of another.
#pragma once

#include <cstdint>
#include <vector>

#include "calfvo/evaluation.h"

namespace calfvo {

// Matches by time as evo does: each pose of the shorter trajectory (the estimate, if they are of equal
// length) takes the pose of the longer one that is nearest in time, the earlier on a tie, if it is at most
// `max_difference_ns` away. If either has no clock, poses are matched by index and the lengths must be equal.
// Pairs come in time order. Throws Error when there are none. Both have passed CheckTrajectory.
std::vector<PosePair> Associate(const Trajectory& reference, const Trajectory& estimate,
                                int64_t max_difference_ns);

}  // namespace calfvo
