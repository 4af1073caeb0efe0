// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/ablations_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/tables/test_suite.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr ModelDesign kBaseline;
constexpr ModelDesign kEuler{.rotation = RotationHead::kEuler};
constexpr ModelDesign kOurs{.encoder = EncoderKind::kPair};

SuiteSequence SequenceOf(const std::string& kind, const std::string& name, double t_rel, double r_rel) {
  SuiteResult result{.model = "calfvo-l", .overlap = 5, .frames = 101};
  result.scores = {.t_rel = t_rel, .r_rel = r_rel};
  result.zero = {.t_rel = 0.5, .r_rel = 0.25};
  return {{kind, name, ""}, 101, {{5, result}}, ""};
}

// Two sequences of ScanNet, whose errors have these means.
SuiteFolder Folder(const std::string& name, std::optional<ModelDesign> design, double t_rel, double r_rel) {
  return {.name = name,
          .overlap = 5,
          .backend = "ref f32",
          .design = design,
          .sequences = {SequenceOf("scannet", "a", t_rel - 0.001, r_rel),
                        SequenceOf("scannet", "b", t_rel + 0.001, r_rel)}};
}

ResultTable Compare(const std::vector<SuiteFolder>& folders) {
  return AblationsTable(folders, ReadPaperTables());
}

std::vector<std::string> Names(const ResultTable& table) {
  std::vector<std::string> names;
  for (const auto& row : table.rows) names.push_back(row[0].text);
  return names;
}

TEST(AblationsTable, ARowPerFolderAndThePapersBelow) {
  const ResultTable table = Compare({Folder("base", kBaseline, 0.007, 0.2),
                                     Folder("euler", kEuler, 0.009, 0.1), Folder("ours", kOurs, 0.008, 0.3)});
  EXPECT_THAT(table.heading, ElementsAre("suite", "encoder", "attention", "rotation", "confidence",
                                         "ScanNet t_rel", "ScanNet r_rel"));
  ASSERT_EQ(table.rows.size(), 5U);
  EXPECT_THAT(Texts(table.rows[0]),
              ElementsAre("base", "croco", "time_space", "procrustes", "yes", "0.0070", "0.2000"));
  EXPECT_THAT(Texts(table.rows[1]),
              ElementsAre("baseline, paper", "croco", "time_space", "procrustes", "yes", "0.0060", "0.1836"));
  EXPECT_THAT(Texts(table.rows[2]),
              ElementsAre("euler", "croco", "time_space", "euler", "yes", "0.0090", "0.1000"));
  EXPECT_THAT(Texts(table.rows[3]),
              ElementsAre("Euler angles, paper", "croco", "time_space", "euler", "yes", "0.0079", "0.2393"));
  EXPECT_THAT(Texts(table.rows[4]),
              ElementsAre("ours", "pair", "time_space", "procrustes", "yes", "0.0080", "0.3000"));
  // The paper's 0.0060 is smaller and takes no part.
  EXPECT_EQ(table.rows[0][5].mark, Mark::kBest);
  EXPECT_EQ(table.rows[4][5].mark, Mark::kSecondBest);
  EXPECT_EQ(table.rows[2][6].mark, Mark::kBest);
  EXPECT_EQ(table.rows[1][5].mark, Mark::kNone);
  EXPECT_THAT(table.note, HasSubstr("11.4k steps"));
  EXPECT_THAT(table.note, HasSubstr("ScanNet: 2 sequences here, 97 in the paper."));
  EXPECT_THAT(table.note, Not(HasSubstr("differ")));
}

// Both of the paper's DINOv3 are of one design; several folders of a design share the paper's row.
TEST(AblationsTable, RowsOfThePaperStandBelowTheLastOfTheirDesign) {
  const ModelDesign dinov3{.encoder = EncoderKind::kDinov3};
  const ResultTable table = Compare(
      {Folder("1", kBaseline, 0.1, 0.1), Folder("2", dinov3, 0.1, 0.1), Folder("3", kBaseline, 0.1, 0.1)});
  EXPECT_THAT(Names(table),
              ElementsAre("1", "2", "DINOv3, paper", "DINOv3 of VGGT-Ω, paper", "3", "baseline, paper"));
}

TEST(AblationsTable, BenchmarksThatSomeHave) {
  std::vector<SuiteFolder> folders = {Folder("a", kBaseline, 0.1, 0.1), Folder("b", kEuler, 0.2, 0.2)};
  folders[1].sequences.push_back(SequenceOf("7scenes", "x", 0.3, 0.3));
  folders[1].sequences.push_back(SequenceOf("euroc", "y", 0.4, 0.4));
  const ResultTable table = Compare(folders);
  EXPECT_THAT(std::vector(table.heading.begin() + 5, table.heading.end()),
              ElementsAre("ScanNet t_rel", "ScanNet r_rel", "EuRoC t_rel", "EuRoC r_rel", "7scenes t_rel",
                          "7scenes r_rel"));
  const auto numbers = [&](size_t row) {
    const std::vector<std::string> texts = Texts(table.rows[row]);
    return std::vector(texts.begin() + 5, texts.end());
  };
  EXPECT_THAT(numbers(0), ElementsAre("0.1000", "0.1000", "-", "-", "-", "-"));
  EXPECT_THAT(numbers(1), ElementsAre("0.0060", "0.1836", "0.0217", "0.2996", "-", "-"));
  EXPECT_THAT(numbers(2), ElementsAre("0.2000", "0.2000", "0.4000", "0.4000", "0.3000", "0.3000"));
  EXPECT_THAT(numbers(3), ElementsAre("0.0079", "0.2393", "-", "-", "-", "-"));
  EXPECT_EQ(table.rows[2][7].mark, Mark::kNone);  // one alone has no best
}

TEST(AblationsTable, ThePapersRowsWithoutNumbersAreLeftOut) {
  std::vector<SuiteFolder> folders = {Folder("a", kBaseline, 0.1, 0.1), Folder("b", kEuler, 0.2, 0.2)};
  for (SuiteFolder& folder : folders) folder.sequences = {SequenceOf("tum", "x", 0.1, 0.1)};
  EXPECT_THAT(Names(Compare(folders)), ElementsAre("a", "baseline, paper", "b"));
}

TEST(AblationsTable, OtherSequencesAreNotMarked) {
  const auto note = [](const auto& change) {
    std::vector<SuiteFolder> folders = {Folder("a", kBaseline, 0.1, 0.1), Folder("b", kEuler, 0.2, 0.2)};
    change(folders[1]);
    const ResultTable table = Compare(folders);
    EXPECT_NE(table.has_marks(), table.note.find("so not marked") != std::string::npos);
    return table.note;
  };
  EXPECT_THAT(note([](SuiteFolder&) {}), Not(HasSubstr("not the same sequences")));
  EXPECT_THAT(note([](SuiteFolder& b) { b.sequences.pop_back(); }),
              HasSubstr("ScanNet: not the same sequences (a 2, b 1), so not marked."));
  EXPECT_THAT(note([](SuiteFolder& b) { b.sequences[0].found.name = "c"; }), HasSubstr("(a 2, b 2)"));
  EXPECT_THAT(note([](SuiteFolder& b) { b.sequences[0].frames = 99; }), HasSubstr("(a 2, b 2)"));
  // Another scene under the same name, and the same one as another machine rounds it.
  const auto still = [](SuiteFolder& b) -> PathScores& { return b.sequences[0].results.at(5).zero; };
  EXPECT_THAT(note([&](SuiteFolder& b) { still(b).t_rel = 0.501; }), HasSubstr("(a 2, b 2)"));
  EXPECT_THAT(note([&](SuiteFolder& b) { still(b).r_rel = kUnknown; }), HasSubstr("(a 2, b 2)"));
  EXPECT_THAT(note([&](SuiteFolder& b) { still(b).t_rel = 0.5 + 1e-9; }), Not(HasSubstr("(a 2, b 2)")));
}

TEST(AblationsTable, OtherSettingsAreNoted) {
  std::vector<SuiteFolder> folders = {Folder("a", kBaseline, 0.1, 0.1), Folder("b", kEuler, 0.2, 0.2)};
  folders[1].flip = true;
  ResultTable table = Compare(folders);
  EXPECT_EQ(table.heading[5], "flip");
  EXPECT_EQ(table.rows[0][5].text, "no");
  EXPECT_EQ(table.rows[2][5].text, "yes");
  EXPECT_EQ(table.rows[3][5].text, "no");  // the paper's
  EXPECT_EQ(table.rows[0][6].mark, Mark::kBest);
  EXPECT_THAT(table.note, HasSubstr("Overlaps or flips differ"));

  // All alike, but not as the paper's.
  folders = {Folder("a", kBaseline, 0.1, 0.1)};
  folders[0].overlap = 3;
  for (SuiteSequence& sequence : folders[0].sequences) sequence.results = {{3, sequence.results.at(5)}};
  table = Compare(folders);
  EXPECT_EQ(table.heading[5], "overlap");
  EXPECT_EQ(table.rows[0][5].text, "3");
  EXPECT_EQ(table.rows[0][6].text, "0.1000");
  EXPECT_EQ(table.rows[1][5].text, "5");
  EXPECT_THAT(table.note, Not(HasSubstr("differ")));
}

TEST(AblationsTable, BackendsAreEscaped) {
  std::vector<SuiteFolder> folders = {Folder("a", kBaseline, 0.1, 0.1), Folder("b", kEuler, 0.2, 0.2)};
  folders[1].backend = "cuda\x1b[2J";
  EXPECT_THAT(Compare(folders).note,
              HasSubstr("Backends differ, which may change digits: a 'ref f32', b 'cuda\\x1b[2J'."));
}

TEST(AblationsTable, ModelsThatAreNotKnown) {
  const ResultTable table = Compare({Folder("old", std::nullopt, 0.1, 0.1), Folder("new", kOurs, 0.2, 0.2)});
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(Texts(table.rows[0]), ElementsAre("old", "?", "?", "?", "?", "0.1000", "0.1000"));
  EXPECT_THAT(table.note, HasSubstr("?: the results are of a version that did not record it."));
  EXPECT_THAT(table.note, Not(HasSubstr("11.4k")));
}

}  // namespace
}  // namespace calfvo
