// SPDX-License-Identifier: Apache-2.0
// Messages for people, on stderr or to SetLogSink's function. Results go to stdout or to files, never through
// here.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "calfvo/log.h"

namespace calfvo {

// Prints one line; control characters in `message` are escaped (Printable). Thread-safe.
void Log(LogLevel level, std::string_view message);

template <typename... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}

template <typename... Args>
void LogWarning(fmt::format_string<Args...> format, Args&&... args) {
  Log(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace calfvo
