// SPDX-License-Identifier: Apache-2.0
#include "core/base/progress.h"

#include <gtest/gtest.h>

namespace calfvo {
namespace {

TEST(FormatProgress, ShowsRateAndTimeLeft) {
  EXPECT_EQ(FormatProgress({"running", "frames", 512, 1024, 6.0}, 79),
            "running  [============>           ]  512/1024 frames  85.3 frames/s  0:06 left");
  EXPECT_EQ(FormatProgress({"running", "frames", 1024, 1024, 8.0}, 60),
            "running  1024/1024 frames  128.0 frames/s  0:00 left");
}

TEST(FormatProgress, UnknownTotalShowsElapsedTime) {
  EXPECT_EQ(FormatProgress({"camera", "frames", 90000, {}, 3723.0}, 80),
            "camera  90000 frames  24.2 frames/s  1:02:03");
}

TEST(FormatProgress, NothingDoneYet) {
  EXPECT_EQ(FormatProgress({"run", "frames", 0, 10, 0.0}, 60),
            "run  [>            ]  0/10 frames  0.00 frames/s  -:-- left");
}

TEST(FormatProgress, NeverWiderThanTheTerminal) {
  for (int columns = 0; columns < 120; ++columns) {
    EXPECT_LE(FormatProgress({"running", "frames", 5, 10, 1.0}, columns).size(),
              static_cast<size_t>(columns));
  }
}

TEST(Progress, SilentWhenNotATerminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress("running", "frames", 100, /*quiet=*/false);
    for (int i = 0; i < 100; ++i) progress.Advance();
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace calfvo
