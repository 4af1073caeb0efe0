// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/calibration_table.h"

#include <algorithm>

#include "eval/metrics/statistics.h"
#include "eval/tables/pose_calibration.h"

namespace calfvo {
namespace {

constexpr const char* kAnywhere = "tum-layout";
constexpr const char* kAll = "all sequences";

std::string SetName(const BenchmarkResults& benchmark, const FoundSequence& found) {
  const std::string folder = found.path.parent_path().filename().string();
  return found.kind == kAnywhere && !folder.empty() ? folder : benchmark.name;
}

// The sequences of a set, by name.
struct Members {
  std::string name;
  std::vector<Coverage> rotation;
  std::vector<Coverage> translation;
  std::vector<Coverage> orientation;
  std::vector<Coverage> position;
  std::vector<double> rotation_sums;
  std::vector<double> translation_sums;

  void Add(const SuiteResult& result) {
    rotation.push_back(result.calibration.rotation);
    translation.push_back(result.calibration.translation);
    orientation.push_back(result.pose_calibration.orientation);
    position.push_back(result.pose_calibration.position);
    rotation_sums.push_back(result.pose_calibration.rotation_sums);
    translation_sums.push_back(result.pose_calibration.translation_sums);
  }
  CalibrationSet Mean() const {
    return {name,
            MeanCoverage(rotation),
            MeanCoverage(translation),
            {MeanCoverage(orientation), MeanCoverage(position), MeanOfKnown(rotation_sums),
             MeanOfKnown(translation_sums)}};
  }
};

Series ReliabilityLine(const CalibrationSet& set, const Coverage& coverage, size_t index) {
  Series line{.x = {0.0}, .y = {0.0}, .label = set.name, .color = PaletteColor(index), .width = 2.0};
  line.dashed = index / kPaletteColors % 2 == 1;
  if (set.name == kAll) {
    line.color = kInk;
    line.dashed = false;
  }
  for (int level = 0; level < kCoverageLevels; ++level) {
    line.x.push_back(NormalShare(SigmaMultiple(level)));
    line.y.push_back(ShareAt(coverage, level));
  }
  return line;
}

// Shares within 1σ and 2σ, and the factor on σ that would make the first 68.3 %.
void AddShares(const Coverage& coverage, std::vector<TableCell>& row) {
  row.push_back(NumberCell(100.0 * ShareAt(coverage, kOneSigmaLevel), 1));
  row.push_back(NumberCell(100.0 * ShareAt(coverage, kTwoSigmaLevel), 1));
  row.push_back(NumberCell(SigmaFactor(coverage), 3));
}

std::vector<TableCell> RowOfNormalErrors() {
  std::vector<TableCell> row = {{"normal errors"}};
  for (int i = 0; i < 2; ++i) {
    row.push_back(NumberCell(100.0 * NormalShare(1.0), 1));
    row.push_back(NumberCell(100.0 * NormalShare(2.0), 1));
    row.push_back(NumberCell(1.0, 3));
  }
  return row;
}

}  // namespace

std::vector<CalibrationSet> CalibrationSets(const SuiteNumbers& numbers) {
  std::vector<Members> sets;
  Members all{.name = kAll};
  for (const BenchmarkResults& benchmark : numbers.benchmarks) {
    for (const SuiteSequence* sequence : benchmark.sequences) {
      const std::string name = SetName(benchmark, sequence->found);
      auto set = std::find_if(sets.begin(), sets.end(), [&](const Members& s) { return s.name == name; });
      if (set == sets.end()) set = sets.insert(sets.end(), Members{.name = name});
      const auto result = sequence->results.find(numbers.overlap);
      if (result == sequence->results.end()) continue;
      set->Add(result->second);
      all.Add(result->second);
    }
  }
  if (sets.size() > 1) sets.push_back(std::move(all));
  std::vector<CalibrationSet> means;
  for (const Members& set : sets) means.push_back(set.Mean());
  return means;
}

Figure ReliabilityFigure(std::span<const CalibrationSet> sets) {
  Figure figure{.title = "Errors within multiples of the predicted σ", .width = 700, .height = 1240};
  const auto add_panel = [&](const char* what, Coverage CalibrationSet::*coverage) {
    Panel panel{.x_label = "expected share (normal errors)",
                .y_label = std::string("observed share, ") + what,
                .equal_aspect = true};
    panel.series.push_back({.x = {0.0, 1.0}, .y = {0.0, 1.0}, .color = kReferenceGrey, .dashed = true});
    for (size_t i = 0; i < sets.size(); ++i) {
      if (!(sets[i].*coverage).empty())
        panel.series.push_back(ReliabilityLine(sets[i], sets[i].*coverage, i));
    }
    figure.panels.push_back(std::move(panel));
  };
  add_panel("rotation", &CalibrationSet::rotation);
  add_panel("translation", &CalibrationSet::translation);
  return figure;
}

ResultTable CalibrationTable(const SuiteNumbers& numbers) {
  const std::vector<CalibrationSet> sets = CalibrationSets(numbers);
  ResultTable table{
      .name = "calibration",
      .title = "Errors of edges within their predicted standard deviations, in %",
      .note =
          "Axis by axis; means over sequences. A share below that of normal errors means overconfidence. "
          "×: the factor on σ that would make the 1σ share 68.3 %.",
      .heading = {"set", "rotation 1σ", "rotation 2σ", "rotation ×", "translation 1σ", "translation 2σ",
                  "translation ×"},
      .figure = ReliabilityFigure(sets)};
  for (const CalibrationSet& set : sets) {
    table.rows.push_back({{set.name}});
    AddShares(set.rotation, table.rows.back());
    AddShares(set.translation, table.rows.back());
  }
  table.rows.push_back(RowOfNormalErrors());
  return table;
}

ResultTable PosesTable(const SuiteNumbers& numbers) {
  ResultTable table{.name = "poses",
                    .title = "Errors of poses within their covariances, in %",
                    .note =
                        "Of all poses, relative to the first; ×: as in the table of calibration. ρ: the "
                        "correlation of the errors of consecutive edges.",
                    .heading = {"set", "orientation 1σ", "orientation 2σ", "orientation ×", "position 1σ",
                                "position 2σ", "position ×", "rotation ρ", "translation ρ"}};
  for (const CalibrationSet& set : CalibrationSets(numbers)) {
    table.rows.push_back({{set.name}});
    AddShares(set.poses.orientation, table.rows.back());
    AddShares(set.poses.position, table.rows.back());
    table.rows.back().push_back(NumberCell(CorrelationOfSums(set.poses.rotation_sums), 3));
    table.rows.back().push_back(NumberCell(CorrelationOfSums(set.poses.translation_sums), 3));
  }
  table.rows.push_back(RowOfNormalErrors());
  for (int i = 0; i < 2; ++i) table.rows.back().push_back({"-"});
  return table;
}

}  // namespace calfvo
