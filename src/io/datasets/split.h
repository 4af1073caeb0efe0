// SPDX-License-Identifier: Apache-2.0
// Lists of sequences, such as those that the paper trains and tests on (configs/splits).
//
// One rule per line: `kind name`, where a `*` at the end of the name stands for any rest. A `!` in front
// takes sequences out again. Of the rules that fit a sequence, the last counts. `#` begins a comment line.
// `kind @invalid-poses drop` (or keep, truncate) states what is to be done with sequences of that kind that
// have invalid poses (invalid_poses.h).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/datasets/invalid_poses.h"
#include "io/datasets/sequence.h"

namespace calfvo {

class Split {
 public:
  // Throws Error naming file and line; a kind that does not exist is an error.
  explicit Split(const std::filesystem::path& path);

  bool Contains(const FoundSequence& sequence) const;

  // Those of `found` that are in the split, in their order.
  std::vector<FoundSequence> Select(const std::vector<FoundSequence>& found) const;

  // What the split states for a kind, if it does.
  std::optional<InvalidPoses> invalid_poses(const std::string& kind) const;

  // Names that are listed in full but not among `found`, in the order of the file.
  std::vector<std::string> Missing(const std::vector<FoundSequence>& found) const;

 private:
  struct Rule {
    bool takes_out = false;
    bool is_prefix = false;
    std::string kind;
    std::string name;  // without its star

    bool Fits(const FoundSequence& sequence) const;
  };
  std::vector<Rule> rules_;
  std::map<std::string, InvalidPoses> invalid_poses_;  // by kind
};

}  // namespace calfvo
