// SPDX-License-Identifier: Apache-2.0
// What to do with sequences of which some frames have no valid pose.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "io/datasets/sequence.h"

namespace calfvo {

enum class InvalidPoses {
  kKeep,      // all frames; those without a pose have none
  kTruncate,  // end before the first frame without a pose that follows one with a pose
  kDrop,      // leave out sequences that kTruncate would shorten
};

// "keep", "truncate", "drop".
std::vector<std::string_view> InvalidPosesNames();
InvalidPoses InvalidPosesFromName(std::string_view name);  // throws Error

// Frames before the first invalid pose: all if there is none after the first valid one.
int64_t FramesUntilInvalid(const Sequence& sequence);

// `count` frames of a sequence from `first` on.
std::unique_ptr<Sequence> Subsequence(std::unique_ptr<Sequence> source, int64_t first, int64_t count);

// The sequence with what is to be done with it done; null if it is dropped.
std::unique_ptr<Sequence> WithoutInvalidPoses(std::unique_ptr<Sequence> source, InvalidPoses what);

}  // namespace calfvo
