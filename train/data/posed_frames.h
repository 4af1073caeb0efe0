// SPDX-License-Identifier: Apache-2.0
// The part of a recorded sequence that can be trained on.
#pragma once

#include <memory>
#include <vector>

#include "io/datasets/sequence.h"

namespace calfvo::train {

// The same sequence without the frames before the first that has a pose: recordings often begin before their
// ground truth does. Throws Error naming the sequence where no frame has one.
std::unique_ptr<Sequence> FromFirstPose(std::unique_ptr<Sequence> source);

// The poses up to the first frame without one: training uses nothing after it, as the paper does.
std::vector<Rigid3> PosesUntilInvalid(const Sequence& source);

}  // namespace calfvo::train
