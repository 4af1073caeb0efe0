// SPDX-License-Identifier: Apache-2.0
// What an earlier suite left in its folder, to compare it with others.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eval/tables/suite_result.h"

namespace calfvo {

struct SuiteFolder {
  std::string name;                      // as the user called it
  int overlap = 0;                       // that the suite ran with; not those of its sweep
  bool flip = false;                     // of all results, as the next two
  std::string backend;                   // as it stands in the files: anything
  std::optional<ModelDesign> design;     // nothing where no result has it
  std::vector<SuiteSequence> sequences;  // at least one; each with its result of `overlap`
};

// Throws Error where a folder holds no results, or such that one suite would not have made, for a file that
// cannot be read, and where the same folder is there twice.
std::vector<SuiteFolder> ReadSuiteFolders(const std::vector<std::filesystem::path>& folders);

}  // namespace calfvo
