// SPDX-License-Identifier: Apache-2.0
// The message of wrong usage, the same in every program.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/base/quoted.h"

namespace calfvo {

// `what` may quote arguments, which are made printable. `command` has the --help to read: "calfvo run".
inline std::string UsageMessage(std::string_view what, std::string_view command) {
  return fmt::format("error: {}\nTry '{} --help'.\n", Printable(what), command);
}

}  // namespace calfvo
