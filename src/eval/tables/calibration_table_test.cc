// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/calibration_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/tables/test_suite.h"

namespace calfvo {
namespace {

using testing::ElementsAre;

// The coverage of errors whose σ were predicted `factor` times too small: 1 is perfect.
Coverage Exact(double factor) {
  Coverage coverage;
  for (int level = 0; level < kCoverageLevels; ++level) {
    coverage.push_back(NormalShare(SigmaMultiple(level) / factor));
  }
  return coverage;
}

SuiteSequence Sequence(const char* kind, const char* path, EdgeCalibration calibration) {
  SuiteResult result{.model = "calfvo-s", .overlap = 5};
  result.calibration = std::move(calibration);
  const std::filesystem::path folder(path);
  return {{kind, folder.filename().string(), folder}, 10, {{5, result}}, ""};
}

class CalibrationTableTest : public testing::Test {
 protected:
  const PaperTables paper_ = ReadPaperTables();
  std::vector<SuiteSequence> sequences_ = {Sequence("tum", "/d/tum/a", {Exact(1.0), Exact(1.0)}),
                                           Sequence("tum-layout", "/d/room/b", {Exact(2.0), Exact(0.5)}),
                                           Sequence("tum-layout", "/d/street/c", {}),
                                           Sequence("tum-layout", "/d/room/d", {Exact(2.0), Exact(0.5)})};
  SuiteNumbers Numbers() const { return {sequences_, 5, paper_}; }
};

TEST_F(CalibrationTableTest, ARowPerDatasetOrFolderAndOneOfAll) {
  const ResultTable table = CalibrationTable(Numbers());
  ASSERT_EQ(table.rows.size(), 5U);
  EXPECT_THAT(Texts(table.rows[0]), ElementsAre("TUM", "68.3", "95.4", "1.000", "68.3", "95.4", "1.000"));
  // Within σ/2 of a normal error are 38.3 %, within 4 of them all.
  EXPECT_THAT(Texts(table.rows[1]), ElementsAre("room", "38.3", "68.3", "2.000", "95.4", "100.0", "0.500"));
  EXPECT_THAT(Texts(table.rows[2]), ElementsAre("street", "-", "-", "-", "-", "-", "-"));
  EXPECT_EQ(table.rows[3][0].text, "all sequences");
  EXPECT_EQ(table.rows[3][1].text, "48.3");  // (68.27 + 2 · 38.29) / 3
  EXPECT_THAT(Texts(table.rows[4]),
              ElementsAre("normal errors", "68.3", "95.4", "1.000", "68.3", "95.4", "1.000"));
}

TEST_F(CalibrationTableTest, PosesHaveATableOfTheirOwn) {
  sequences_[0].results.at(5).pose_calibration = {Exact(2.0), Exact(4.0), 1.0, 10.0};
  const ResultTable table = PosesTable(Numbers());
  ASSERT_EQ(table.rows.size(), 5U);
  EXPECT_THAT(Texts(table.rows[0]),
              ElementsAre("TUM", "38.3", "68.3", "2.000", "19.7", "38.3", "4.000", "0.000", "0.999"));
  EXPECT_THAT(Texts(table.rows[1]), ElementsAre("room", "-", "-", "-", "-", "-", "-", "-", "-"));
  for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.heading.size());
}

TEST_F(CalibrationTableTest, OneSetIsAllThereIs) {
  sequences_.resize(1);
  EXPECT_EQ(CalibrationSets(Numbers()).size(), 1U);
}

TEST_F(CalibrationTableTest, TheFigureOfPerfectConfidenceIsTheDiagonal) {
  const Figure figure = CalibrationTable(Numbers()).figure.value();
  ASSERT_EQ(figure.panels.size(), 2U);
  for (const Panel& panel : figure.panels) {
    ASSERT_EQ(panel.series.size(), 4U);  // the diagonal, two sets that know something, all
    EXPECT_THAT(panel.series[0].x, ElementsAre(0.0, 1.0));
    EXPECT_THAT(panel.series[0].y, ElementsAre(0.0, 1.0));
    EXPECT_EQ(panel.series[1].label, "TUM");
    EXPECT_EQ(panel.series[1].x, panel.series[1].y);
    EXPECT_NEAR(panel.series[1].x.back(), 1.0, 1e-12);
    EXPECT_EQ(panel.series[2].label, "room");
  }
  // Half the true σ is predicted: where 95.4 % are expected, 68.3 % are.
  const Series& too_sure = figure.panels[0].series[2];
  EXPECT_NEAR(too_sure.x[1 + kTwoSigmaLevel], 0.9545, 1e-4);
  EXPECT_NEAR(too_sure.y[1 + kTwoSigmaLevel], 0.6827, 1e-4);
  EXPECT_FALSE(RenderPng(figure).empty());
}

}  // namespace
}  // namespace calfvo
