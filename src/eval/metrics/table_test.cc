// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/table.h"

#include <gtest/gtest.h>

#include <limits>

namespace calfvo {
namespace {

TEST(FormatTable, AlignsByCharacters) {
  EXPECT_EQ(FormatTable({{"", "a", "r °"}, {"kitti", "1", "2"}, {"x", "10"}}),
            "        a  r °\n"
            "kitti   1    2\n"
            "x      10\n");
}

TEST(FormatValue, FourSignificantDigits) {
  EXPECT_EQ(FormatValue(0.00481561), "0.004816");
  EXPECT_EQ(FormatValue(12.3456), "12.35");
  EXPECT_EQ(FormatValue(-123456.0), "-123456");
  EXPECT_EQ(FormatValue(1.0), "1.000");
  EXPECT_EQ(FormatValue(0.0), "0");
  EXPECT_EQ(FormatValue(1.5e-9), "1.500e-09");
  EXPECT_EQ(FormatValue(2e7), "2.000e+07");
  EXPECT_EQ(FormatValue(std::numeric_limits<double>::quiet_NaN()), "-");
}

}  // namespace
}  // namespace calfvo
