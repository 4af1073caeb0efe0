// SPDX-License-Identifier: Apache-2.0
// Failures that repeating the command may overcome, unlike those of an input.
#pragma once

#include <string>

#include "calfvo/error.h"

namespace calfvo {

// The exit code of programs for these failures: EX_TEMPFAIL of sysexits.h. Other failures have 1.
inline constexpr int kTryAgain = 75;

// Too little memory, disk space or another resource of the machine; a folder in use; a device that failed.
class TemporaryError : public Error {
 public:
  using Error::Error;
};

// Throws "`what`: message of `code`", a value of errno: TemporaryError for a lack of resources, Error for
// anything else.
[[noreturn]] void ThrowSystemError(const std::string& what, int code);

}  // namespace calfvo
