// SPDX-License-Identifier: Apache-2.0
#include "run/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(RunReportText, OneFrameIsNotSeveral) {
  RunReport report;
  report.frames = 1;
  report.dropped = 1;
  report.damaged = 1;
  report.damages = {{7, "decoded with errors"}};
  const std::string one = RunReportText(report);
  EXPECT_THAT(one, HasSubstr("1 frame, 0.0 s"));
  EXPECT_THAT(one, HasSubstr("1 frame came too fast and was dropped\n"));
  EXPECT_THAT(one, HasSubstr("frame 7 is damaged: decoded with errors\n"));

  report.frames = report.dropped = report.damaged = 2;
  report.damages.emplace_back(9, "its packet is incomplete");
  const std::string two = RunReportText(report);
  EXPECT_THAT(two, HasSubstr("2 frames, 0.0 s"));
  EXPECT_THAT(two, HasSubstr("2 frames came too fast and were dropped\n"));
  EXPECT_THAT(two, HasSubstr("2 damaged frames, the first is 7: decoded with errors\n"));
}

}  // namespace
}  // namespace calfvo
