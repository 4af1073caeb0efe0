// SPDX-License-Identifier: Apache-2.0
// Poses that agree with verified loops: a Sim(3) pose graph, then one adjustment of everything.
#pragma once

#include <vector>

#include "refine/adjustment.h"
#include "refine/loop_finder.h"

namespace calfvo {

// Above this number of keyframes only the pose graph is solved, so that time and memory stay bounded.
inline constexpr size_t kMaxGlobalKeyframes = 600;

// Moves the keyframes of `all`, a chain with its tracks, so that they agree with `loops`, which are not
// empty. Scale drift along the path is distributed; the mean scale stays the network's.
void CloseLoops(const std::vector<Loop>& loops, const AdjustOptions& options, Adjustment& all);

}  // namespace calfvo
