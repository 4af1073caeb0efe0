// SPDX-License-Identifier: Apache-2.0
#include "io/video/frame_rate.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "core/base/testing.h"

namespace calfvo {
namespace {

TEST(FrameRate, ParsesWholeDecimalAndFraction) {
  EXPECT_EQ(ParseFrameRate("30"), (FrameRate{30, 1}));
  EXPECT_EQ(ParseFrameRate("29.97"), (FrameRate{2997, 100}));
  EXPECT_EQ(ParseFrameRate("12.5"), (FrameRate{25, 2}));
  EXPECT_EQ(ParseFrameRate("30000/1001"), (FrameRate{30000, 1001}));
  EXPECT_EQ(ParseFrameRate("60/2"), (FrameRate{30, 1}));
  EXPECT_EQ(ParseFrameRate("0.5"), (FrameRate{1, 2}));
  EXPECT_EQ(ParseFrameRate("1/3600"), (FrameRate{1, 3600}));
  for (const char* text : {"1", "12.5", "30000/1001", "1/60"}) {
    EXPECT_EQ(ParseFrameRate(FrameRateText(ParseFrameRate(text))), ParseFrameRate(text));
  }
}

TEST(FrameRate, RefusesTheRest) {
  for (const char* text :
       {"",      "0",    "-30",  "+30", "30fps", "30 ", "1e2", "nan",     "1/3601",
        "0.000", "1001", "30/0", "0/1", "/",     "30.", ".5",  "29.9700", "99999999999999999999",
        "30/-1", "30.-5"}) {
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

TEST(FrameRate, TimesEndWhereInt64Does) {
  const FrameRate hourly{1, 3600};
  EXPECT_EQ(hourly.TimestampNs(2'562'047), 2'562'047 * 3'600'000'000'000);
  EXPECT_EQ(
      ErrorFrom([&] { hourly.TimestampNs(2'562'048); }),
      "at 1/3600 frames per second, frame 2562048 is more than 292 years after the first; give a higher "
      "rate");
}

TEST(FrameRate, FindsTheFractionBehindADouble) {
  EXPECT_EQ(FrameRateFromHertz(29.97), (FrameRate{2997, 100}));
  EXPECT_EQ(FrameRateFromHertz(29.970), ParseFrameRate("29.97"));
  EXPECT_EQ(FrameRateFromHertz(1000.0), (FrameRate{1000, 1}));
  EXPECT_EQ(FrameRateFromHertz(1.0 / 3600), (FrameRate{1, 3600}));
  for (int denominator = 1; denominator <= 1001; ++denominator) {
    for (const int numerator : {1, 7, 997, 15000, 24000, 30000, 60000, 999'983}) {
      const double hertz = static_cast<double>(numerator) / denominator;
      if (hertz > 1000.0) continue;
      const int divisor = std::gcd(numerator, denominator);
      EXPECT_EQ(FrameRateFromHertz(hertz), (FrameRate{numerator / divisor, denominator / divisor})) << hertz;
    }
  }
}

TEST(FrameRate, OfADoubleThatIsNotASimpleFractionIsNear) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> exponent(std::log(1.0 / 3600), std::log(1000.0));
  for (int i = 0; i < 10'000; ++i) {
    double hertz = std::exp(exponent(random));
    if (i % 2 == 0) hertz = (i + 1) / 3600.0 * (1.0 + 1e-13 * static_cast<double>(random() % 10'000'000));
    EXPECT_NEAR(FrameRateFromHertz(hertz).Hertz() / hertz, 1.0, 1e-9) << hertz;
  }
}

TEST(FrameRate, RefusesDoublesThatAreNotRates) {
  for (const double hertz : {0.0, -30.0, 1.0 / 3601, 1000.1, std::nan(""), HUGE_VAL}) {
    EXPECT_EQ(ErrorFrom([&] { FrameRateFromHertz(hertz); }),
              fmt::format("frame rate {} is not from 1/3600 to 1000", hertz));
  }
}

}  // namespace
}  // namespace calfvo
