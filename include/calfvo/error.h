// SPDX-License-Identifier: Apache-2.0
// The one exception type that calfvo throws.
#pragma once

#include <stdexcept>
#include <string>

namespace calfvo {

// A failure that the caller can act on: an unreadable file, a field with a wrong value, an invalid option.
// The message names the file, the field, the value and what was expected.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace calfvo
