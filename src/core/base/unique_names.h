// SPDX-License-Identifier: Apache-2.0
// Names for things that must not share one.
#pragma once

#include <map>
#include <set>
#include <string>

namespace calfvo {

class UniqueNames {
 public:
  // Takes `name`; false where it is taken.
  bool Take(const std::string& name) { return taken_.insert(name).second; }

  // Takes `wanted` or, where that is taken, the first of wanted-2, wanted-3, … that is not; returns it.
  std::string TakeNumbered(const std::string& wanted);

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> last_numbers_;  // so that many of one name take no longer than many of several
};

}  // namespace calfvo
