// SPDX-License-Identifier: Apache-2.0
// What our programs answer to wrong usage, so that all of them say it alike.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace calfvo {

// `command` is what --help explains: "calfvo run".
inline std::string UsageMessage(std::string_view what, std::string_view command) {
  return fmt::format("error: {}\nTry '{} --help'.\n", what, command);
}

}  // namespace calfvo
