// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Log, NeverSteersATerminal) {
  testing::internal::CaptureStderr();
  LogWarning("Straße {}", "a\x1b[2J\r\x7f \xc2\x9b|\tb\nc");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: Straße a\\x1b[2J\\x0d\\x7f \\x9b|\tb\nc\n");
}

}  // namespace
}  // namespace calfvo
