// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/suite_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "eval/tables/movers_table.h"

namespace calfvo {
namespace {

using testing::ElementsAre;

// Two sequences of TUM with errors around those of the paper's table, one that failed, and one of a dataset
// that the paper has not.
std::vector<SuiteSequence> Sequences() {
  const auto result = [](double t_rel, double r_rel, double scale) {
    SuiteResult made{.model = "calfvo-s", .backend = "cpu", .overlap = 5, .frames = 101, .poses = 101};
    made.wall_s = 2.0;
    made.estimates_per_pair = 2.25;
    made.scores = {.t_rel = t_rel, .r_rel = r_rel, .ate = 1.0, .are = 2.0, .t_rel_aligned = t_rel / 2};
    made.scores.scale = scale;
    made.zero = {.t_rel = 0.0001, .r_rel = 0.0001, .scale = 1.0};
    made.constant = {.t_rel = 0.0002, .r_rel = 0.0002, .scale = 3.0};
    made.calibration = {Coverage(kCoverageLevels, 0.5), Coverage(kCoverageLevels, 0.95)};
    return made;
  };
  std::vector<SuiteSequence> sequences;
  sequences.push_back({{"7scenes", "chess/seq-01", ""}, 101, {{5, result(0.5, 0.5, 1.5)}}, ""});
  sequences.push_back(
      {{"tum", "a", ""}, 101, {{5, result(0.004, 0.3, 0.8)}, {7, result(0.003, 0.2, 0.8)}}, ""});
  sequences.push_back({{"tum", "b", ""}, 101, {{5, result(0.008, 0.6, 1.0)}}, ""});
  sequences.push_back({{"tum", "c", ""}, 50, {}, "broken"});
  return sequences;
}

class SuiteTablesTest : public testing::Test {
 protected:
  ResultTable Make(std::string_view name) const {
    for (const SuiteTable& table : SuiteTables()) {
      if (table.name == name) return table.make(numbers_);
    }
    return {};
  }
  // The texts of the row of that name after its first cell.
  static std::vector<std::string> Row(const ResultTable& table, const std::string& name) {
    std::vector<std::string> texts;
    for (const TableCell& cell : Find(table, name)) texts.push_back(cell.text);
    if (!texts.empty()) texts.erase(texts.begin());
    return texts;
  }
  static std::vector<TableCell> Find(const ResultTable& table, const std::string& name) {
    for (const auto& row : table.rows) {
      if (row[0].text == name) return row;
    }
    return {};
  }

  const PaperTables paper_ = ReadPaperTables();
  const std::vector<SuiteSequence> sequences_ = Sequences();
  const SuiteNumbers numbers_{sequences_, 5, paper_};
};

TEST_F(SuiteTablesTest, EveryTableIsMadeAndEven) {
  for (const SuiteTable& table : SuiteTables()) {
    const ResultTable made = table.make(numbers_);
    EXPECT_EQ(made.name, table.name);
    EXPECT_EQ(made.figure.has_value(), table.has_figure) << table.name;
    const bool has_rows = table.name != "movers";  // none of them is a clip
    EXPECT_EQ(made.rows.empty(), !has_rows) << table.name;
    for (const auto& row : made.rows) EXPECT_EQ(row.size(), made.heading.size()) << table.name;
  }
}

TEST_F(SuiteTablesTest, AccuracyAveragesOverSequencesBesideThePaper) {
  const ResultTable table = Make("accuracy");
  EXPECT_THAT(table.heading,
              ElementsAre("method", "TUM t_rel", "TUM r_rel", "7scenes t_rel", "7scenes r_rel"));
  EXPECT_THAT(Row(table, "calfvo-s, this run"), ElementsAre("0.0060", "0.4500", "0.5000", "0.5000"));
  EXPECT_THAT(Row(table, "static baseline"), ElementsAre("0.0001", "0.0001", "0.0001", "0.0001"));
  EXPECT_THAT(Row(table, "CalfVO"), ElementsAre("0.0052", "0.3355", "-", "-"));
  EXPECT_THAT(Row(table, "calibrated DPVO†"), ElementsAre("0.0067", "0.3920", "-", "-"));
}

// As if the paper had run as many sequences as we have. Baselines are smaller and take no part. r_rel of TUM:
// 0.3355 (CalfVO), 0.3757 (iSLAM-VO), 0.4387, 0.45.
TEST_F(SuiteTablesTest, TheBestUncalibratedMethodsAreMarked) {
  PaperTables two = paper_;
  two.scale.sequences[3] = 2.0;
  const ResultTable table = SuiteTables()[1].make(SuiteNumbers(sequences_, 5, two));
  const auto ours = Find(table, "calfvo-s, this run");
  const auto paper = Find(table, "CalfVO");
  EXPECT_EQ(paper[1].mark, Mark::kBest);
  EXPECT_EQ(ours[1].mark, Mark::kSecondBest);
  EXPECT_EQ(paper[2].mark, Mark::kBest);
  EXPECT_EQ(Find(table, "iSLAM-VO†")[2].mark, Mark::kSecondBest);
  EXPECT_EQ(ours[2].mark, Mark::kNone);
  EXPECT_EQ(Find(table, "static baseline")[1].mark, Mark::kNone);
}

TEST_F(SuiteTablesTest, AveragesOverOtherSequencesAreNotMarked) {
  const ResultTable table = Make("accuracy");
  EXPECT_EQ(Find(table, "calfvo-s, this run")[1].mark, Mark::kNone);
  EXPECT_EQ(Find(table, "AMB3R")[1].mark, Mark::kSecondBest);
  EXPECT_THAT(table.note, testing::HasSubstr("TUM: 2 sequences here, 9 in the paper"));
}

// The marks of the paper's own table, from its own numbers.
TEST_F(SuiteTablesTest, ThePapersMarksComeOutWithoutUs) {
  std::vector<SuiteSequence> failed;
  for (const auto& benchmark : paper_.benchmarks)
    failed.push_back({{benchmark.kind, "x", ""}, 1, {}, "broken"});
  const ResultTable table = SuiteTables()[1].make(SuiteNumbers(failed, 5, paper_));
  ASSERT_EQ(table.name, "accuracy");
  const auto marked = [&](Mark mark) {
    std::vector<std::string> methods;
    for (size_t column = 1; column < table.heading.size(); ++column) {
      for (const auto& row : table.rows) {
        if (row[column].mark == mark) methods.push_back(row[0].text);
      }
    }
    return methods;
  };
  EXPECT_THAT(marked(Mark::kBest), ElementsAre("CalfVO", "CalfVO", "CalfVO", "DPVO†", "CalfVO", "iSLAM-VO†",
                                               "CalfVO", "CalfVO", "CalfVO", "CalfVO"));
  EXPECT_THAT(marked(Mark::kSecondBest),
              ElementsAre("DPVO†", "iSLAM-VO†", "iSLAM-VO†", "iSLAM-VO†", "DPVO†", "CalfVO", "AMB3R",
                          "iSLAM-VO†", "iSLAM-VO†", "iSLAM-VO†"));
}

TEST_F(SuiteTablesTest, ScaleIsAMedian) {
  const ResultTable table = Make("scale");
  EXPECT_THAT(Row(table, "TUM: CalfVO, paper"), ElementsAre("9", "0.952", "0.0046", "0.0052"));
  EXPECT_THAT(Row(table, "TUM: calfvo-s, this run"), ElementsAre("2", "0.900", "0.0030", "0.0060"));
  EXPECT_EQ(Row(table, "TUM: static baseline")[1], "-");
  EXPECT_EQ(Row(table, "TUM: constant-motion baseline")[1], "3.000");
}

TEST_F(SuiteTablesTest, FailuresCountAsFramesWithoutPose) {
  const ResultTable table = Make("completion");
  EXPECT_THAT(Row(table, "TUM: CalfVO, paper"), ElementsAre("9", "9", "-", "-"));
  EXPECT_THAT(Row(table, "TUM: calfvo-s, this run"), ElementsAre("3", "2", "252", "202"));
  EXPECT_THAT(Row(Make("sequences"), "TUM c"), ElementsAre("50", "-", "-", "-", "-", "-", "-", "-"));
}

TEST_F(SuiteTablesTest, GlobalCalibrationAndRuntime) {
  EXPECT_THAT(Row(Make("global"), "TUM: calfvo-s, this run"), ElementsAre("1.000", "-", "2.000", "-"));
  EXPECT_THAT(Row(Make("global"), "TUM: CalfVO, paper"), ElementsAre("0.372", "0.154", "8.900", "9.482"));
  EXPECT_THAT(Row(Make("calibration"), "TUM"), ElementsAre("50.0", "50.0", "-", "95.0", "95.0", "-"));
  EXPECT_THAT(Row(Make("runtime"), "TUM: calfvo-s, this run"),
              ElementsAre("202", "4.0", "50.5", "1.05", "several", "cpu"));
  const auto paper = [&](const std::string& name) {
    return Row(Make("runtime"), "TUM: " + name + ", paper");
  };
  EXPECT_THAT(paper("CalfVO"), ElementsAre("2165", "40.8", "53.0", "1.0", "1", "NVIDIA A100"));
  // 53 / 1.4; 53 / 19 to 53 / 1.6; below 53 / 9.
  EXPECT_THAT(paper("TSformer"), ElementsAre("2165", "-", "37.9", "1.4", "1", "NVIDIA A100"));
  EXPECT_THAT(paper("systems with an optimization backend"),
              ElementsAre("2165", "-", "2.8–33.1", "1.6–19.0", "1", "NVIDIA A100"));
  EXPECT_THAT(paper("metric baselines (MUSt3R, AMB3R)"),
              ElementsAre("2165", "-", "<5.9", ">9.0", "1", "NVIDIA A100"));
}

// Live runs take one window at a time.
TEST_F(SuiteTablesTest, LiveRunsHaveBatchOne) {
  std::vector<SuiteSequence> live = sequences_;
  for (SuiteSequence& sequence : live) {
    for (auto& [_, result] : sequence.results) result.live = true;
  }
  const SuiteNumbers numbers(live, 5, paper_);
  for (const SuiteTable& table : SuiteTables()) {
    if (table.name != "runtime") continue;
    EXPECT_EQ(Row(table.make(numbers), "TUM: calfvo-s, this run")[4], "1");
  }
}

TEST_F(SuiteTablesTest, MoversAreGroupedByTheirShare) {
  std::vector<SuiteSequence> clips;
  for (const auto& [name, movers, refined, network] :
       {std::tuple("a", 0.25, 0.1, 0.4), {"b", 0.25, 0.3, 0.8}, {"c", 0.0, 0.2, 0.2}}) {
    SuiteResult result{.model = "calfvo-s", .overlap = 5, .refine = true};
    result.scores = {.t_rel = refined, .r_rel = refined, .ate_aligned = refined};
    result.network = PathScores{.t_rel = network, .r_rel = network, .ate_aligned = network};
    clips.push_back({{"tum-layout", name, ""}, 10, {{5, result}}, "", "", {}, movers});
  }
  const ResultTable table = MoversTable(SuiteNumbers(clips, 5, paper_));
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_THAT(Row(table, "0 %: network"), ElementsAre("1", "0.2000", "0.2000", "0.200"));
  EXPECT_THAT(Row(table, "0 %: refined"), ElementsAre("1", "0.2000", "0.2000", "0.200"));
  EXPECT_THAT(Row(table, "25 %: network"), ElementsAre("2", "0.6000", "0.6000", "0.600"));
  EXPECT_THAT(Row(table, "25 %: refined"), ElementsAre("2", "0.2000", "0.2000", "0.200"));

  // With masks, which clips without movers have not.
  for (SuiteSequence& clip : clips) {
    SuiteResult& result = clip.results.at(5);
    if (clip.movers > 0.0) {
      clip.mask = "mask";
      clip.without_masks = result;
      result.scores = {.t_rel = 0.05, .r_rel = 0.05, .ate_aligned = 0.05};
      result.network = PathScores{.t_rel = 0.07, .r_rel = 0.07, .ate_aligned = 0.07};
    }
    result.masks = true;
  }
  const SuiteNumbers masked(clips, 5, paper_);
  EXPECT_EQ(masked.method, "calfvo-s refined with masks");
  const ResultTable four = MoversTable(masked);
  ASSERT_EQ(four.rows.size(), 6U);
  EXPECT_THAT(Row(four, "0 %: refined"), ElementsAre("1", "0.2000", "0.2000", "0.200"));
  EXPECT_THAT(Row(four, "25 %: network"), ElementsAre("2", "0.6000", "0.6000", "0.600"));
  EXPECT_THAT(Row(four, "25 %: refined"), ElementsAre("2", "0.2000", "0.2000", "0.200"));
  EXPECT_THAT(Row(four, "25 %: network with masks"), ElementsAre("2", "0.0700", "0.0700", "0.070"));
  EXPECT_THAT(Row(four, "25 %: refined with masks"), ElementsAre("2", "0.0500", "0.0500", "0.050"));
}

TEST_F(SuiteTablesTest, TheSweepHasAColumnPerOverlap) {
  const ResultTable table = Make("overlap");
  EXPECT_THAT(table.heading, ElementsAre("frames shared", "1", "3", "5", "7"));
  EXPECT_THAT(Row(table, "TUM t_rel: paper"), ElementsAre("0.00543", "0.00531", "0.00524", "0.00522"));
  EXPECT_THAT(Row(table, "TUM t_rel: this run"), ElementsAre("-", "-", "0.00600", "0.00300"));
  EXPECT_THAT(Row(table, "TUM t_rel: static baseline"), ElementsAre("-", "-", "0.00010", "0.00010"));
  EXPECT_THAT(Row(table, "TUM r_rel: constant-motion baseline"), ElementsAre("-", "-", "0.00020", "0.00020"));
  EXPECT_THAT(Row(table, "estimates per pair: this run"), ElementsAre("-", "-", "2.25", "2.25"));
  EXPECT_THAT(Row(table, "runtime, s: this run"), ElementsAre("-", "-", "6.0", "2.0"));
  EXPECT_THAT(SweptOverlaps(paper_), ElementsAre(1, 3, 5, 7));
}

}  // namespace
}  // namespace calfvo
