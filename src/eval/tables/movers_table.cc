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
  std::vector<PathScores> network;
  std::vector<PathScores> refined;
};

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
      .heading = {"movers", "n", "t_rel", "refined", "r_rel", "refined", "ATE", "refined"}};
  std::map<int64_t, Scores> by_percent;
  for (const BenchmarkResults& benchmark : numbers.benchmarks) {
    for (const SuiteSequence* sequence : benchmark.sequences) {
      const auto found = sequence->results.find(numbers.overlap);
      if (!sequence->movers || found == sequence->results.end()) continue;
      const SuiteResult& result = found->second;
      Scores& scores = by_percent[std::llround(100.0 * *sequence->movers)];
      scores.network.push_back(result.network.value_or(result.scores));
      if (result.refine) scores.refined.push_back(result.scores);
    }
  }
  for (const auto& [percent, scores] : by_percent) {
    table.rows.push_back({{fmt::format("{} %", percent)}, {std::to_string(scores.network.size())}});
    for (const auto& [score, decimals] : {std::pair(&PathScores::t_rel, 4), std::pair(&PathScores::r_rel, 4),
                                          std::pair(&PathScores::ate_aligned, 3)}) {
      table.rows.back().push_back(NumberCell(Mean(scores.network, score), decimals));
      table.rows.back().push_back(NumberCell(Mean(scores.refined, score), decimals));
    }
  }
  if (table.rows.empty())
    table.note = "No synthetic clip here; bench/movers.py renders some and makes this table.";
  return table;
}

}  // namespace calfvo
