// SPDX-License-Identifier: Apache-2.0
#include "core/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "core/base/quoted.h"

namespace calfvo {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      break;
  }
  return spdlog::level::off;
}

// Our own logger, not spdlog's default one: a program that links libcalfvo and uses spdlog keeps its
// settings.
spdlog::logger& Logger() {
  static spdlog::logger logger = [] {
    spdlog::logger made("calfvo", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made.set_pattern("%^%l%$: %v");
    made.set_level(spdlog::level::warn);
    return made;
  }();
  return logger;
}

// The program's function, and the mutex that guards it.
struct Sink {
  std::mutex mutex;
  std::function<void(LogLevel, std::string_view)> function;
};

Sink& TheSink() {
  static Sink sink;
  return sink;
}

}  // namespace

void SetLogSink(std::function<void(LogLevel level, std::string_view message)> sink) {
  Sink& the = TheSink();
  const std::lock_guard lock(the.mutex);
  the.function = std::move(sink);
}

void SetLogLevel(LogLevel level) {
  Logger().set_level(ToSpdlog(level));
}

void Log(LogLevel level, std::string_view message) {
  if (!Logger().should_log(ToSpdlog(level))) return;
  const std::string text = Printable(message);
  {
    Sink& the = TheSink();
    const std::lock_guard lock(the.mutex);
    if (the.function) return the.function(level, text);
  }
  Logger().log(ToSpdlog(level), text);
}

}  // namespace calfvo
