// SPDX-License-Identifier: Apache-2.0
// Where the library's messages go. They are about the input, such as a video whose timestamps were repaired;
// errors are exceptions.
#pragma once

#include <functional>
#include <string_view>

namespace calfvo {

// In the order of importance.
enum class LogLevel { kInfo, kWarning, kError, kOff };

// Messages below `level` are dropped. The library starts at kWarning. Thread-safe.
void SetLogLevel(LogLevel level);

// Receives each message instead of standard error: one line without its line feed, control characters
// escaped. Called from whichever thread logs, one at a time; it must neither throw nor log. An empty function
// restores standard error. Thread-safe.
void SetLogSink(std::function<void(LogLevel level, std::string_view message)> sink);

}  // namespace calfvo
