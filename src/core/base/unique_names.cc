// SPDX-License-Identifier: Apache-2.0
#include "core/base/unique_names.h"

#include <fmt/format.h>

namespace calfvo {

std::string UniqueNames::TakeNumbered(const std::string& wanted) {
  if (Take(wanted)) return wanted;
  int& number = last_numbers_.try_emplace(wanted, 1).first->second;
  std::string name;
  do {
    name = fmt::format("{}-{}", wanted, ++number);
  } while (!Take(name));
  return name;
}

}  // namespace calfvo
