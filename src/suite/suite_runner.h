// SPDX-License-Identifier: Apache-2.0
// A model over many sequences, and what came of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "datasets/sequence.h"
#include "suite/suite_options.h"
#include "suite/suite_result.h"

namespace calfvo {

struct SuiteSequence {
  FoundSequence found;
  int64_t frames = 0;                  // 0 where it could not be opened
  std::map<int, SuiteResult> results;  // by overlap; one that failed has none
  std::string error;                   // the first, empty if all went well
};

// Runs every chosen sequence with each overlap and evaluates it. OUTPUT/KIND/NAME then holds the files of
// `calfvo run`, the true poses as groundtruth.tum, pictures in report/ and, last, result.json; overlap-N
// below holds the same, without report/, of further overlaps. Where there is a result.json the sequence is
// done and is not run again; where that is of another model, backend, precision, number of threads or
// overlap, throws Error. A sequence that fails does not stop the rest. Those without true poses are left out.
// `stop`, set from elsewhere, ends the suite and drops the sequence under way.
std::vector<SuiteSequence> RunSuite(const SuiteOptions& options, const std::atomic<bool>& stop);

}  // namespace calfvo
