// SPDX-License-Identifier: Apache-2.0
#include "frames/frame_rate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing.h"

namespace calfvo {
namespace {

TEST(FrameRate, ParsesWholeDecimalAndFraction) {
  EXPECT_EQ(ParseFrameRate("30"), (FrameRate{30, 1}));
  EXPECT_EQ(ParseFrameRate("29.97"), (FrameRate{2997, 100}));
  EXPECT_EQ(ParseFrameRate("12.5"), (FrameRate{25, 2}));
  EXPECT_EQ(ParseFrameRate("30000/1001"), (FrameRate{30000, 1001}));
  EXPECT_EQ(ParseFrameRate("60/2"), (FrameRate{30, 1}));
  for (const char* text : {"1", "12.5", "30000/1001"}) {
    EXPECT_EQ(ParseFrameRate(FrameRateText(ParseFrameRate(text))), ParseFrameRate(text));
  }
}

TEST(FrameRate, RefusesTheRest) {
  for (const char* text : {"",
                           "0",
                           "-30",
                           "+30",
                           "30fps",
                           "30 ",
                           "1e2",
                           "nan",
                           "0.5",
                           "1001",
                           "30/0",
                           "0/1",
                           "/",
                           "30.",
                           ".5",
                           "29.9700",
                           "99999999999999999999",
                           "1/2",
                           "30/-1",
                           "30.-5"}) {
    EXPECT_THAT(ErrorFrom([&] { ParseFrameRate(text); }), testing::HasSubstr("is not a number like 30"))
        << text;
  }
}

TEST(FrameRate, TimesDoNotDrift) {
  const FrameRate rate{30000, 1001};
  EXPECT_EQ(rate.TimestampNs(0), 0);
  EXPECT_EQ(rate.TimestampNs(1), 33'366'667);
  EXPECT_EQ(rate.TimestampNs(30000), 1'001'000'000'000);
  EXPECT_EQ(rate.TimestampNs(3'000'000'000), 100'100'000'000'000'000);
}

}  // namespace
}  // namespace calfvo
