// SPDX-License-Identifier: Apache-2.0
#include "eval/plot/ticks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>

namespace calfvo {
namespace {

using testing::ElementsAre;

void ExpectGoodTicks(const Range& range, int wanted) {
  SCOPED_TRACE(testing::Message() << range.low << " .. " << range.high << " wanted " << wanted);
  const Ticks ticks = NiceTicks(range, wanted);
  ASSERT_EQ(ticks.labels.size(), ticks.values.size());
  EXPECT_GE(ticks.values.size(), 3U);
  EXPECT_LE(ticks.values.size(), 10U);
  std::set<std::string> labels;
  for (size_t i = 0; i < ticks.values.size(); ++i) {
    EXPECT_GE(ticks.values[i], range.low);
    EXPECT_LE(ticks.values[i], range.high);
    EXPECT_TRUE(i == 0 || ticks.values[i] > ticks.values[i - 1]) << ticks.values[i];
    EXPECT_TRUE(labels.insert(ticks.labels[i]).second) << ticks.labels[i];
    EXPECT_LE(ticks.labels[i].size(), 20U) << ticks.labels[i];
    // A label names its tick's value, to within a hundredth of a step.
    const double step = ticks.values[1] - ticks.values[0];
    EXPECT_NEAR(std::stod(ticks.labels[i]), ticks.values[i], 0.01 * step);
  }
}

TEST(Ticks, GoodOnManyRanges) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-12.0, 12.0);
  std::uniform_real_distribution<double> offset(-30.0, 30.0);
  for (int i = 0; i < 3000; ++i) {
    const double span = std::pow(10.0, exponent(random));
    const double low = offset(random) * span;
    for (const int wanted : {3, 5, 9}) ExpectGoodTicks({low, low + span}, wanted);
  }
  ExpectGoodTicks({0.0, 1e12}, 5);
  ExpectGoodTicks({0.0, 1e-12}, 5);
  ExpectGoodTicks({-1e100, 1e100}, 5);
  ExpectGoodTicks({1.7e9, 1.7e9 + 1.0}, 5);
}

TEST(Ticks, AreNice) {
  EXPECT_THAT(NiceTicks({0.0, 1.0}, 5).labels, ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(NiceTicks({0.0, 1.0}, 5).values, ElementsAre(0.0, 0.2, 0.4, 0.6, 0.8, 1.0));
  EXPECT_THAT(NiceTicks({-0.2, 0.2}, 4).labels, ElementsAre("-0.2", "-0.1", "0.0", "0.1", "0.2"));
  EXPECT_THAT(NiceTicks({-120.0, 120.0}, 5).labels, ElementsAre("-100", "-50", "0", "50", "100"));
  EXPECT_THAT(NiceTicks({0.0, 3e6}, 6).labels,
              ElementsAre("0", "5e+05", "1e+06", "1.5e+06", "2e+06", "2.5e+06", "3e+06"));
  EXPECT_THAT(NiceTicks({0.0, 2e-6}, 4).labels, ElementsAre("0", "5e-07", "1e-06", "1.5e-06", "2e-06"));
}

TEST(Ticks, NoneForRangesThatAreNone) {
  EXPECT_TRUE(NiceTicks({1.0, 1.0}, 5).values.empty());
  EXPECT_TRUE(NiceTicks({2.0, 1.0}, 5).values.empty());
  EXPECT_TRUE(NiceTicks({0.0, std::numeric_limits<double>::infinity()}, 5).values.empty());
  EXPECT_TRUE(NiceTicks({std::nan(""), 1.0}, 5).values.empty());
}

TEST(ShownRange, CopesWithLittleData) {
  Extent extent;
  EXPECT_EQ(ShownRange(extent, 0.05).low, 0.0);
  EXPECT_EQ(ShownRange(extent, 0.05).high, 1.0);
  for (const double constant : {0.0, 5.0, -3e12, 1e-12, 1e100, 1e-200, 5e-324}) {
    extent = {};
    extent.Add(constant);
    const Range range = ShownRange(extent, 0.05);
    EXPECT_LT(range.low, constant);
    EXPECT_GT(range.high, constant);
    ExpectGoodTicks(range, 5);
  }
  extent = {};
  extent.Add(1e12);
  extent.Add(1e12 + 0.001);  // below what labels can resolve
  ExpectGoodTicks(ShownRange(extent, 0.05), 5);
  extent = {};
  extent.Add(0.0);
  extent.Add(10.0);
  EXPECT_DOUBLE_EQ(ShownRange(extent, 0.1).low, -1.0);
  EXPECT_DOUBLE_EQ(ShownRange(extent, 0.1).high, 11.0);
}

}  // namespace
}  // namespace calfvo
