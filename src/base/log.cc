// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <string>

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

// Messages name files and what they hold, which must not steer a terminal.
std::string WithoutControls(std::string_view message) {
  std::string shown;
  shown.reserve(message.size());
  for (size_t i = 0; i < message.size(); ++i) {
    const auto byte = static_cast<unsigned char>(message[i]);
    const auto next = static_cast<unsigned char>(i + 1 < message.size() ? message[i + 1] : 0);
    const bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
    const bool upper_control = byte == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080 to U+009F
    if (control) {
      shown += fmt::format("\\x{:02x}", byte);
    } else if (upper_control) {
      shown += fmt::format("\\x{:02x}", next);
      ++i;
    } else {
      shown += message[i];
    }
  }
  return shown;
}

}  // namespace

void SetLogLevel(LogLevel level) {
  Logger().set_level(ToSpdlog(level));
}

void Log(LogLevel level, std::string_view message) {
  Logger().log(ToSpdlog(level), WithoutControls(message));
}

}  // namespace calfvo
