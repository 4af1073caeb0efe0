// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/movers_table.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "eval/metrics/statistics.h"

namespace calfvo {
namespace {

struct Scores {
  std::vector<PathScores> network, refined;
};

// Of the clips with one share of movers.
struct ClipScores {
  Scores plain, masked;
};

void Add(const SuiteResult& result, Scores& scores) {
  scores.network.push_back(result.network.value_or(result.scores));
  if (result.refine) scores.refined.push_back(result.scores);
}

double Mean(const std::vector<PathScores>& scores, double PathScores::*score) {
  std::vector<double> values;
  for (const PathScores& each : scores) values.push_back(each.*score);
  return MeanOfKnown(values);
}

}  // namespace

ResultTable MoversTable(const SuiteNumbers& numbers) {
  ResultTable table{
      .name = "movers",
      .title = "Moving objects: errors on synthetic clips by the share of the image that they cover",
      .note = "t_rel in m, r_rel in ° per frame, ATE in m after Sim(3); means over n clips.",
      .heading = {"movers", "n", "t_rel", "r_rel", "ATE"}};
  std::map<int64_t, ClipScores> by_percent;
  for (const BenchmarkResults& benchmark : numbers.benchmarks) {
    for (const SuiteSequence* sequence : benchmark.sequences) {
      const auto found = sequence->results.find(numbers.overlap);
      if (!sequence->movers || found == sequence->results.end()) continue;
      ClipScores& scores = by_percent[std::llround(100.0 * *sequence->movers)];
      const bool is_masked = found->second.masks && !sequence->mask.empty();
      Add(found->second, is_masked ? scores.masked : scores.plain);
      if (sequence->without_masks) Add(*sequence->without_masks, scores.plain);
    }
  }
  for (const auto& [percent, scores] : by_percent) {
    for (const auto& [name, made] : {std::pair("network", &scores.plain.network),
                                     {"network with masks", &scores.masked.network},
                                     {"refined", &scores.plain.refined},
                                     {"refined with masks", &scores.masked.refined}}) {
      if (made->empty()) continue;
      table.rows.push_back({{fmt::format("{} %: {}", percent, name)},
                            {std::to_string(made->size())},
                            NumberCell(Mean(*made, &PathScores::t_rel), 4),
                            NumberCell(Mean(*made, &PathScores::r_rel), 4),
                            NumberCell(Mean(*made, &PathScores::ate_aligned), 3)});
    }
  }
  if (table.rows.empty())
    table.note = "No synthetic clip here; bench/movers.py renders some and makes this table.";
  return table;
}

}  // namespace calfvo
