// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace calfvo {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
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

}  // namespace

void SetLogLevel(LogLevel level) {
  Logger().set_level(ToSpdlog(level));
}

void Log(LogLevel level, std::string_view message) {
  Logger().log(ToSpdlog(level), message);
}

}  // namespace calfvo
