// SPDX-License-Identifier: Apache-2.0
#include "commands/run/run_report.h"

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

TEST(RunReportText, SecondsStayBelowSixty) {
  const auto text = [](double seconds) {
    RunReport report;
    report.duration_s = seconds;
    return RunReportText(report);
  };
  EXPECT_THAT(text(59.94), HasSubstr(", 59.9 s,"));
  EXPECT_THAT(text(59.96), HasSubstr(", 1:00.0 min,"));
  EXPECT_THAT(text(83.5), HasSubstr(", 1:23.5 min,"));
  EXPECT_THAT(text(119.96), HasSubstr(", 2:00.0 min,"));
}

TEST(EvaluationErrorText, StatesWhetherThereIsAnEvaluation) {
  RunReport report;
  report.evaluation_error = "no poses match";
  EXPECT_EQ(EvaluationErrorText(report), "was estimated but not evaluated: no poses match");
  report.evaluation.emplace();
  report.evaluation_error = "no space left";
  EXPECT_EQ(EvaluationErrorText(report),
            "was estimated and evaluated, but the report of that failed: no space left");
}

}  // namespace
}  // namespace calfvo
