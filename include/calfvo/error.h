// SPDX-License-Identifier: Apache-2.0
// The one exception type that calfvo throws.
#pragma once

#include <stdexcept>
#include <string>

namespace calfvo {

// Something the caller can act on: a file that cannot be read, a field with a wrong value, an option that
// makes no sense. The message names the file, the field and the value, and says what was expected.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace calfvo
