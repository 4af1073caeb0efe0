// SPDX-License-Identifier: Apache-2.0
#include "suite/calibration_table.h"

#include <algorithm>

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

  void Add(const StepCalibration& calibration) {
    rotation.push_back(calibration.rotation);
    translation.push_back(calibration.translation);
  }
  CalibrationSet Mean() const { return {name, MeanCoverage(rotation), MeanCoverage(translation)}; }
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
      set->Add(result->second.calibration);
      all.Add(result->second.calibration);
    }
  }
  if (sets.size() > 1) sets.push_back(std::move(all));
  std::vector<CalibrationSet> means;
  for (const Members& set : sets) means.push_back(set.Mean());
  return means;
}

Figure ReliabilityFigure(std::span<const CalibrationSet> sets) {
  Figure figure{.title = "Errors within the stated deviations", .width = 700, .height = 1240};
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
  ResultTable table{.name = "calibration",
                    .title = "Errors of steps within their standard deviations, in %",
                    .note =
                        "Axis by axis; means over sequences. A share below that of normal errors says: too "
                        "sure. ×: the factor on the deviations that would put 1σ right.",
                    .heading = {"set", "rotation 1σ", "rotation 2σ", "rotation ×", "translation 1σ",
                                "translation 2σ", "translation ×"},
                    .figure = ReliabilityFigure(sets)};
  const auto percent = [](double share) { return NumberCell(100.0 * share, 1); };
  for (const CalibrationSet& set : sets) {
    table.rows.push_back({{set.name}});
    for (const Coverage& coverage : {set.rotation, set.translation}) {
      table.rows.back().push_back(percent(ShareAt(coverage, kOneSigmaLevel)));
      table.rows.back().push_back(percent(ShareAt(coverage, kTwoSigmaLevel)));
      table.rows.back().push_back(NumberCell(SigmaFactor(coverage), 3));
    }
  }
  table.rows.push_back({{"normal errors"}});
  for (int i = 0; i < 2; ++i) {
    table.rows.back().push_back(percent(NormalShare(1.0)));
    table.rows.back().push_back(percent(NormalShare(2.0)));
    table.rows.back().push_back(NumberCell(1.0, 3));
  }
  return table;
}

}  // namespace calfvo
