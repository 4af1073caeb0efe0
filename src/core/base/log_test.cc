// SPDX-License-Identifier: Apache-2.0
#include "core/base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace calfvo {
namespace {

TEST(Log, DropsMessagesBelowTheLevel) {
  testing::internal::CaptureStderr();
  SetLogLevel(LogLevel::kWarning);
  LogInfo("not {}", "shown");
  LogWarning("frame {} is damaged", 7);
  SetLogLevel(LogLevel::kOff);
  LogWarning("silenced");
  SetLogLevel(LogLevel::kWarning);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: frame 7 is damaged\n");
}

TEST(Log, WritesOneLineWithoutControlCharacters) {
  testing::internal::CaptureStderr();
  LogWarning("Straße {}", "a\x1b[2J\r\x7f \xc2\x9b|\tb\nc");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning: Straße a\\x1b[2J\\x0d\\x7f \\xc2\\x9b|\\x09b\\x0ac\n");
}

TEST(Log, AProgramsSinkReceivesMessagesUntilItIsRemoved) {
  std::vector<std::pair<LogLevel, std::string>> received;
  SetLogSink([&](LogLevel level, std::string_view message) { received.emplace_back(level, message); });
  testing::internal::CaptureStderr();
  LogInfo("below the level");
  LogWarning("two\nlines");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_THAT(received, testing::ElementsAre(testing::Pair(LogLevel::kWarning, "two\\x0alines")));
  SetLogSink(nullptr);
  testing::internal::CaptureStderr();
  LogWarning("back");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: back\n");
  EXPECT_EQ(received.size(), 1U);
}

}  // namespace
}  // namespace calfvo
