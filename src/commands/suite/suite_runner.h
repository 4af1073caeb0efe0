// SPDX-License-Identifier: Apache-2.0
// A model over many sequences, and what came of it.
#pragma once

#include <atomic>
#include <vector>

#include "commands/suite/suite_options.h"
#include "eval/tables/suite_result.h"

namespace calfvo {

// Runs every chosen sequence with each overlap and evaluates it. OUTPUT/KIND/NAME then holds the files of
// `calfvo run`, the true poses as groundtruth.tum, images in report/ and, last, result.json; overlap-N and
// without-masks below hold the same, without report/, of further overlaps and of
// SuiteOptions::without_masks_too. Where there is a result.json the sequence is done and is not run again;
// where that is of other settings (HaveSameSettings) or of other data, throws Error. A sequence that fails
// does not stop the rest. Those without true poses are left out. `stop`, set from elsewhere, ends the suite
// and drops the sequence under way.
std::vector<SuiteSequence> RunSuite(const SuiteOptions& options, const std::atomic<bool>& stop);

}  // namespace calfvo
