// SPDX-License-Identifier: Apache-2.0
#include "core/base/number_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>

namespace calfvo {
namespace {

std::optional<int64_t> Seconds(std::string_view text) {
  int64_t nanoseconds = 0;
  if (!ParseSeconds(text, &nanoseconds)) return {};
  return nanoseconds;
}

TEST(ParseSeconds, ExactForPlainDecimals) {
  EXPECT_EQ(Seconds("1305031098.6659"), 1305031098665900000);
  EXPECT_EQ(Seconds("1403636580.863555584"), 1403636580863555584);
  EXPECT_EQ(Seconds("0.0000000014"), 1);
  EXPECT_EQ(Seconds("0.0000000015"), 2);
  EXPECT_EQ(Seconds("0.9999999999"), 1'000'000'000);
  EXPECT_EQ(Seconds("-1.5"), -1'500'000'000);
  EXPECT_EQ(Seconds("+2"), 2'000'000'000);
  EXPECT_EQ(Seconds(".5"), 500'000'000);
  EXPECT_EQ(Seconds("5."), 5'000'000'000);
  EXPECT_EQ(Seconds("1.5e3"), 1'500'000'000'000);
  EXPECT_EQ(Seconds("9223372036.854775807"), std::numeric_limits<int64_t>::max());
}

TEST(ParseSeconds, RefusesTheRest) {
  for (const char* text : {"", ".", "-", "+-1", "1,5", "1 ", "0x10", "nan", "inf", "1e300",
                           "9223372036.854775808", "99999999999999999999"}) {
    EXPECT_FALSE(Seconds(text).has_value()) << text;
  }
}

TEST(AppendSeconds, RoundTrips) {
  for (const int64_t value : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{1305031098665900000},
                              int64_t{-1500000000}, std::numeric_limits<int64_t>::max()}) {
    std::string text;
    AppendSeconds(value, &text);
    EXPECT_EQ(Seconds(text), value) << text;
  }
  std::string text;
  AppendSeconds(std::numeric_limits<int64_t>::min(), &text);
  EXPECT_EQ(text, "-9223372036.854775808");
}

TEST(ParseNumber, WholeFieldOnly) {
  double value = 0.0;
  EXPECT_TRUE(ParseNumber("+1.5e-3", &value));
  EXPECT_EQ(value, 1.5e-3);
  for (const char* text : {"", "+", "+-1", "1.0x", "1 2", "--1", "1e999"}) {
    EXPECT_FALSE(ParseNumber(text, &value)) << text;
  }
}

TEST(AppendNumber, ReadsBackTheSameDouble) {
  for (const double value : {0.1, -0.0, 1.0 / 3.0, 1e300, 5e-324, 123456789.125}) {
    std::string text;
    AppendNumber(value, &text);
    double read = 1.0;
    ASSERT_TRUE(ParseNumber(text, &read)) << text;
    EXPECT_EQ(read, value);
  }
}

}  // namespace
}  // namespace calfvo
