// SPDX-License-Identifier: Apache-2.0
// Folders in the layout of the TUM RGB-D sets, which `calfvo synth` writes too: rgb.txt, the images it lists,
// and groundtruth.txt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "data/sequence_source.h"

namespace calfvo::train {

// Each image gets the pose nearest in time, where there is one at most `max_difference_ns` away. Images from
// before the first pose are left out. Throws Error naming the file that is missing or wrong, and where no
// image has a pose.
std::unique_ptr<SequenceSource> OpenTumSequence(const std::filesystem::path& folder,
                                                int64_t max_difference_ns = 20'000'000);

}  // namespace calfvo::train
