// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/result_table.h"

#include <gtest/gtest.h>

#include <limits>

namespace calfvo {
namespace {

TEST(NumberCell, RoundsAndKnowsNothing) {
  EXPECT_EQ(NumberCell(0.16199, 4).text, "0.1620");
  EXPECT_EQ(NumberCell(97.0, 0).text, "97");
  EXPECT_EQ(NumberCell(std::numeric_limits<double>::quiet_NaN(), 2).text, "-");
}

ResultTable OneColumn(const std::vector<double>& values) {
  ResultTable table{.heading = {"method", "error"}};
  for (const double value : values) table.rows.push_back({{"row"}, NumberCell(value, 4)});
  return table;
}

std::vector<Mark> Marks(const ResultTable& table) {
  std::vector<Mark> marks;
  for (const auto& row : table.rows) marks.push_back(row[1].mark);
  return marks;
}

constexpr Mark kNo = Mark::kNone;
constexpr Mark kFirst = Mark::kBest;
constexpr Mark kNext = Mark::kSecondBest;

TEST(MarkSmallest, BestAndSecondBestAmongTheChosenRows) {
  ResultTable table = OneColumn({0.001, 10.5, 0.3, std::numeric_limits<double>::quiet_NaN(), 9.25});
  EXPECT_FALSE(table.has_marks());
  MarkSmallest(table, 1, {1, 2, 3, 4});
  EXPECT_EQ(Marks(table), (std::vector<Mark>{kNo, kNo, kFirst, kNo, kNext}));
  EXPECT_TRUE(table.has_marks());
}

TEST(MarkSmallest, NumbersThatPrintAlikeAreMarkedAlike) {
  ResultTable table = OneColumn({0.00521, 0.00524, 0.0084, 0.00839, 0.01});
  MarkSmallest(table, 1, {0, 1, 2, 3, 4});
  EXPECT_EQ(Marks(table), (std::vector<Mark>{kFirst, kFirst, kNext, kNext, kNo}));
}

}  // namespace
}  // namespace calfvo
