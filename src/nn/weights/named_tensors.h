// SPDX-License-Identifier: Apache-2.0
// The table of tensors that every reader fills.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/tensor/tensor_view.h"

namespace calfvo {

// Views by name, and the names in the order they were added.
class NamedTensors {
 public:
  // False, and nothing changes, if the name is there already.
  bool Add(std::string_view name, const TensorView& view) {
    if (!views_.emplace(name, view).second) return false;
    names_.emplace_back(name);
    return true;
  }

  const TensorView* Find(std::string_view name) const {
    const auto found = views_.find(name);
    return found == views_.end() ? nullptr : &found->second;
  }

  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::map<std::string, TensorView, std::less<>> views_;
};

}  // namespace calfvo
