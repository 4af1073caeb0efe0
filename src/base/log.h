// SPDX-License-Identifier: Apache-2.0
// Messages for people, on stderr. Results go to stdout or to files, never through here.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace calfvo {

enum class LogLevel { kInfo, kWarning, kError, kOff };

// Messages below `level` are dropped. The library starts at kWarning; programs choose their own.
void SetLogLevel(LogLevel level);

// One line. Thread-safe.
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
