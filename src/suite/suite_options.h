// SPDX-License-Identifier: Apache-2.0
// What `calfvo suite` can be told about running; one field per flag.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "run/run_options.h"

namespace calfvo {

struct SuiteOptions {
  std::vector<std::filesystem::path> data;    // folders with datasets below
  std::vector<std::filesystem::path> splits;  // run what one of these lists; none means all
  std::vector<std::string> datasets;          // run these kinds; none means all
  std::filesystem::path output;
  RunOptions run;
  std::vector<int> more_overlaps;  // run everything with these overlaps too, for the sweep
};

}  // namespace calfvo
