// SPDX-License-Identifier: Apache-2.0
// Options of `calfvo suite` for running; one field per flag.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands/run/run_options.h"
#include "io/datasets/invalid_poses.h"

namespace calfvo {

struct SuiteOptions {
  std::vector<std::filesystem::path> data;    // folders with datasets below
  std::vector<std::filesystem::path> splits;  // run what one of these lists; none means all
  std::vector<std::string> datasets;          // run these kinds; none means all
  std::optional<InvalidPoses>
      invalid_poses;  // what to do with them, whatever splits state; keep if none does
  std::filesystem::path output;
  RunOptions run;
  std::vector<int> more_overlaps;  // run everything with these overlaps too, for the sweep
  bool masks = false;              // ignore what the masks in mask/ of a sequence's folder hide
  bool without_masks_too = false;  // with `masks`: run clips with movers without them too, to compare
};

}  // namespace calfvo
