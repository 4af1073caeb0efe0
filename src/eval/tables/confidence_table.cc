// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/confidence_table.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "eval/metrics/statistics.h"
#include "eval/tables/suite_numbers.h"

namespace calfvo {
namespace {

struct Pair {
  const SuiteFolder* with = nullptr;
  const SuiteFolder* without = nullptr;
};

Pair ChoosePair(std::span<const SuiteFolder> folders) {
  Pair pair;
  for (const SuiteFolder& folder : folders) {
    if (pair.with == nullptr && folder.design && folder.design->confidence) pair.with = &folder;
  }
  for (const SuiteFolder& folder : folders) {
    if (pair.without != nullptr || !folder.design || folder.design->confidence) continue;
    ModelDesign design = *folder.design;
    design.confidence = true;
    if (pair.with == nullptr || design == *pair.with->design) pair.without = &folder;
  }
  return pair;
}

double Mean(const SuiteFolder* folder, const std::string& benchmark, double PathScores::*score,
            const PaperTables& paper) {
  if (folder == nullptr) return kUnknown;
  for (const BenchmarkResults& results : SuiteNumbers(folder->sequences, folder->overlap, paper).benchmarks) {
    if (results.name != benchmark) continue;
    return MeanOfKnown(
        results.Values(folder->overlap, [&](const SuiteResult& result) { return result.scores.*score; }));
  }
  return kUnknown;
}

std::string Change(double percent) {
  return std::isnan(percent) ? "-" : fmt::format("{:+.1f} %", percent);
}

}  // namespace

ResultTable ConfidenceTable(std::span<const SuiteFolder> folders, const PaperTables& paper) {
  constexpr int kDecimals = 4;
  ResultTable table{
      .name = "confidence",
      .title = "Confidence ablation: t_rel in m, r_rel in ° per frame (Table S1 of the paper)",
      .note = "Means over sequences. Change: without confidence over with it, positive is worse.",
      .heading = {"benchmark", "with", "without", "change"}};
  const Pair pair = ChoosePair(folders);
  std::vector<SuiteSequence> all;
  for (const SuiteFolder& folder : folders) {
    all.insert(all.end(), folder.sequences.begin(), folder.sequences.end());
  }
  const PaperTables::Ablation& ours = paper.ablations.at(0);
  const PaperTables::Ablation& none = paper.ablations.at(1);
  for (const BenchmarkResults& benchmark : SuiteNumbers(all, kPaperOverlap, paper).benchmarks) {
    const auto add = [&](const char* metric, double PathScores::*score,
                         std::vector<double> PaperTables::Ablation::*list,
                         const std::vector<double>& changes) {
      const std::string label = fmt::format("{} {}", benchmark.name, metric);
      if (benchmark.paper_index >= 0) {
        table.rows.push_back({{label + ": CalfVO, paper"},
                              NumberCell(benchmark.Paper(ours.*list), kDecimals),
                              NumberCell(benchmark.Paper(none.*list), kDecimals),
                              {Change(benchmark.Paper(changes))}});
      }
      const double with = Mean(pair.with, benchmark.name, score, paper);
      const double without = Mean(pair.without, benchmark.name, score, paper);
      table.rows.push_back({{label + ": these runs"},
                            NumberCell(with, kDecimals),
                            NumberCell(without, kDecimals),
                            {Change(100.0 * (without / with - 1.0))}});
    };
    add("t_rel", &PathScores::t_rel, &PaperTables::Ablation::t_rel, paper.confidence.t_rel);
    add("r_rel", &PathScores::r_rel, &PaperTables::Ablation::r_rel, paper.confidence.r_rel);
  }
  if (pair.with == nullptr || pair.without == nullptr) {
    table.note += " Train both (configs/train/no-confidence.toml) and pass their folders to --compare.";
  } else {
    table.note += fmt::format(" These runs: {} and {}.", pair.with->name, pair.without->name);
  }
  return table;
}

}  // namespace calfvo
