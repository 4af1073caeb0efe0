// SPDX-License-Identifier: Apache-2.0
// Which sequences a suite runs.
#pragma once

#include <vector>

#include "commands/suite/suite_options.h"
#include "io/datasets/sequence.h"

namespace calfvo {

struct ChosenSequence {
  FoundSequence found;
  InvalidPoses invalid_poses = InvalidPoses::kKeep;  // what to do with them
};

// Those below `options.data` that splits and kinds leave, dataset by dataset in the order of finding. Warns
// of sequences that a split names and that are not there. Throws Error when none is left, for unknown kinds,
// and when two sequences of one kind have one name: their results would have one folder.
std::vector<ChosenSequence> ChooseSequences(const SuiteOptions& options);

}  // namespace calfvo
