// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace calfvo {
namespace {

TEST(Summarise, KnownSeries) {
  const Statistics even = Summarise(std::vector<double>{4.0, 1.0, 3.0, 2.0});
  EXPECT_DOUBLE_EQ(even.rmse, std::sqrt(7.5));
  EXPECT_DOUBLE_EQ(even.mean, 2.5);
  EXPECT_DOUBLE_EQ(even.median, 2.5);
  EXPECT_DOUBLE_EQ(even.std, std::sqrt(1.25));
  EXPECT_DOUBLE_EQ(even.min, 1.0);
  EXPECT_DOUBLE_EQ(even.max, 4.0);
  EXPECT_DOUBLE_EQ(Summarise(std::vector<double>{9.0, 1.0, 5.0}).median, 5.0);
}

TEST(Summarise, EmptySeriesAreUnknown) {
  const Statistics none = Summarise({});
  for (const double value : {none.rmse, none.mean, none.median, none.std, none.min, none.max}) {
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST(MeanOfKnown, SkipsUnknowns) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_DOUBLE_EQ(MeanOfKnown(std::vector<double>{1.0, kUnknown, 3.0}), 2.0);
  EXPECT_TRUE(std::isnan(MeanOfKnown(std::vector<double>{kUnknown})));
}

}  // namespace
}  // namespace calfvo
