// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/suite_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "eval/metrics/statistics.h"
#include "eval/tables/ablations_table.h"
#include "eval/tables/calibration_table.h"
#include "eval/tables/confidence_table.h"
#include "eval/tables/intrinsics_table.h"
#include "eval/tables/movers_table.h"

namespace calfvo {
namespace {

constexpr const char* kPaper = "CalfVO, paper";
constexpr const char* kZero = "static baseline";
constexpr const char* kConstant = "constant-motion baseline";

// A row of ours: its name, and whose scores it holds.
struct Scored {
  std::string label;
  PathScores SuiteResult::*scores;
};

std::vector<Scored> OwnRows(const SuiteNumbers& numbers) {
  return {{numbers.method + ", this run", &SuiteResult::scores},
          {kZero, &SuiteResult::zero},
          {kConstant, &SuiteResult::constant}};
}

std::vector<double> Scores(const BenchmarkResults& benchmark, int overlap, PathScores SuiteResult::*scores,
                           double PathScores::*score) {
  return benchmark.Values(overlap, [&](const SuiteResult& result) { return result.*scores.*score; });
}

// Averages are over sequences, as the paper's.
double MeanScore(const BenchmarkResults& benchmark, int overlap, PathScores SuiteResult::*scores,
                 double PathScores::*score) {
  return MeanOfKnown(Scores(benchmark, overlap, scores, score));
}

double Sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double CountDone(const BenchmarkResults& benchmark, int overlap) {
  return Sum(benchmark.Values(overlap, [](const SuiteResult&) { return 1; }));
}

bool HasNumber(const std::vector<TableCell>& row) {
  return std::any_of(row.begin() + 1, row.end(), [](const TableCell& cell) { return cell.text != "-"; });
}

ResultTable SequencesTable(const SuiteNumbers& numbers) {
  ResultTable table{
      .name = "sequences",
      .title = "Relative errors of each sequence, m and ° per frame",
      .note = "0: static baseline. c: constant-motion baseline. s: as in the table of scales.",
      .heading = {"sequence", "frames", "t_rel", "0 t_rel", "c t_rel", "r_rel", "0 r_rel", "c r_rel", "s"}};
  for (const auto& benchmark : numbers.benchmarks) {
    for (const SuiteSequence* sequence : benchmark.sequences) {
      const auto found = sequence->results.find(numbers.overlap);
      const SuiteResult result = found == sequence->results.end() ? SuiteResult() : found->second;
      table.rows.push_back(
          {{fmt::format("{} {}", benchmark.name, sequence->found.name)}, {std::to_string(sequence->frames)}});
      for (const auto score : {&PathScores::t_rel, &PathScores::r_rel}) {
        for (const auto& scores : {result.scores, result.zero, result.constant}) {
          table.rows.back().push_back(NumberCell(scores.*score, 4));
        }
      }
      table.rows.back().push_back(NumberCell(result.scores.scale, 3));
    }
  }
  return table;
}

ResultTable AccuracyTable(const SuiteNumbers& numbers) {
  constexpr int kDecimals = 4;
  ResultTable table{.name = "accuracy",
                    .title = "Relative errors per frame: t_rel in m, r_rel in ° (Table 1 of the paper)",
                    .heading = {"method"}};
  for (const auto& benchmark : numbers.benchmarks) {
    table.heading.push_back(benchmark.name + " t_rel");
    table.heading.push_back(benchmark.name + " r_rel");
  }
  std::vector<size_t> uncalibrated;  // the paper's rows among which the best is marked
  for (const auto& paper : numbers.paper.accuracy) {
    std::vector<TableCell> row = {{fmt::format("{}{}{}", paper.calibrated ? "calibrated " : "", paper.method,
                                               paper.aligned ? "†" : "")}};
    for (const auto& benchmark : numbers.benchmarks) {
      row.push_back(NumberCell(benchmark.Paper(paper.t_rel), kDecimals));
      row.push_back(NumberCell(benchmark.Paper(paper.r_rel), kDecimals));
    }
    if (!HasNumber(row)) continue;
    if (!paper.calibrated) uncalibrated.push_back(table.rows.size());
    table.rows.push_back(std::move(row));
  }
  const size_t own_row = table.rows.size();
  for (const auto& [label, scores] : OwnRows(numbers)) {
    table.rows.push_back({{label}});
    for (const auto& benchmark : numbers.benchmarks) {
      for (const auto score : {&PathScores::t_rel, &PathScores::r_rel}) {
        table.rows.back().push_back(
            NumberCell(MeanScore(benchmark, numbers.overlap, scores, score), kDecimals));
      }
    }
  }
  if (own_row == 0) return table;
  table.note =
      "Marked among uncalibrated methods; baselines take no part. † Up to scale, Sim(3)-aligned first. "
      "Calibrated methods are given the true intrinsics.";
  for (size_t i = 0; i < numbers.benchmarks.size(); ++i) {
    const BenchmarkResults& benchmark = numbers.benchmarks[i];
    if (benchmark.paper_index < 0) continue;
    std::vector<size_t> compared = uncalibrated;
    const double done = CountDone(benchmark, numbers.overlap);
    const double published = benchmark.Paper(numbers.paper.scale.sequences);
    if (done == published) {
      compared.push_back(own_row);
    } else {
      table.note += fmt::format(" {}: {} sequences here, {} in the paper, so this run is not marked.",
                                benchmark.name, done, published);
    }
    MarkSmallest(table, 1 + 2 * i, compared);
    MarkSmallest(table, 2 + 2 * i, compared);
  }
  return table;
}

ResultTable ScaleTable(const SuiteNumbers& numbers) {
  ResultTable table{
      .name = "scale",
      .title = "Scale recovered without alignment (Table 2 of the paper)",
      .note = "s is what a Sim(3) fit applies to the estimate: below 1, the estimate is too long.",
      .heading = {"benchmark", "n", "median s", "t_rel aligned", "t_rel as is"}};
  const auto& paper = numbers.paper.scale;
  for (const auto& benchmark : numbers.benchmarks) {
    if (benchmark.paper_index >= 0) {
      table.rows.push_back({{fmt::format("{}: {}", benchmark.name, kPaper)},
                            NumberCell(benchmark.Paper(paper.sequences), 0),
                            NumberCell(benchmark.Paper(paper.median_scale), 3),
                            NumberCell(benchmark.Paper(paper.t_rel_aligned), 4),
                            NumberCell(benchmark.Paper(paper.t_rel_as_is), 4)});
    }
    for (const auto& [label, scores] : OwnRows(numbers)) {
      const auto mean = [&, of = scores](double PathScores::*score) {
        return NumberCell(MeanScore(benchmark, numbers.overlap, of, score), 4);
      };
      const auto scales = Scores(benchmark, numbers.overlap, scores, &PathScores::scale);
      // A camera that stands has no scale.
      const double median = scores == &SuiteResult::zero ? kUnknown : Summarise(scales).median;
      table.rows.push_back({{fmt::format("{}: {}", benchmark.name, label)},
                            NumberCell(CountDone(benchmark, numbers.overlap), 0),
                            NumberCell(median, 3),
                            mean(&PathScores::t_rel_aligned),
                            mean(&PathScores::t_rel)});
    }
  }
  return table;
}

ResultTable GlobalTable(const SuiteNumbers& numbers) {
  constexpr int kDecimals = 3;
  ResultTable table{.name = "global",
                    .title = "Global errors: ATE in m, ARE in ° (Table S4 of the paper)",
                    .note = "Root mean squares over whole trajectories; as is, both start at the identity.",
                    .heading = {"benchmark", "ATE as is", "ATE aligned", "ARE as is", "ARE aligned"}};
  const auto& paper = numbers.paper.global;
  for (const auto& benchmark : numbers.benchmarks) {
    if (benchmark.paper_index >= 0) {
      table.rows.push_back({{fmt::format("{}: {}", benchmark.name, kPaper)},
                            NumberCell(benchmark.Paper(paper.ate_as_is), kDecimals),
                            NumberCell(benchmark.Paper(paper.ate_aligned), kDecimals),
                            NumberCell(benchmark.Paper(paper.are_as_is), kDecimals),
                            NumberCell(benchmark.Paper(paper.are_aligned), kDecimals)});
    }
    for (const auto& [label, scores] : OwnRows(numbers)) {
      table.rows.push_back({{fmt::format("{}: {}", benchmark.name, label)}});
      for (const auto score :
           {&PathScores::ate, &PathScores::ate_aligned, &PathScores::are, &PathScores::are_aligned}) {
        table.rows.back().push_back(
            NumberCell(MeanScore(benchmark, numbers.overlap, scores, score), kDecimals));
      }
    }
  }
  return table;
}

ResultTable CompletionTable(const SuiteNumbers& numbers) {
  ResultTable table{.name = "completion",
                    .title = "Completion (section S6 of the paper)",
                    .note = "Frames of a sequence that failed have no pose.",
                    .heading = {"benchmark", "sequences", "completed", "frames", "with a pose"}};
  for (const auto& benchmark : numbers.benchmarks) {
    for (const auto& paper : numbers.paper.completion) {
      if (paper.benchmark != benchmark.name) continue;
      table.rows.push_back({{fmt::format("{}: {}, paper", benchmark.name, paper.method)},
                            {std::to_string(paper.sequences)},
                            {std::to_string(paper.completed)},
                            {"-"},
                            {"-"}});
    }
    int64_t frames = 0;
    for (const SuiteSequence* sequence : benchmark.sequences) frames += sequence->frames;
    const double poses = Sum(benchmark.Values(numbers.overlap, &SuiteResult::poses));
    table.rows.push_back({{fmt::format("{}: {}, this run", benchmark.name, numbers.model)},
                          {std::to_string(benchmark.sequences.size())},
                          NumberCell(CountDone(benchmark, numbers.overlap), 0),
                          {std::to_string(frames)},
                          NumberCell(poses, 0)});
  }
  return table;
}

// What a range of ratios makes of a speed: "2.8–33.1"; "<5.9" where one end is not known.
std::string SlowerThan(double frames_per_second, const PaperTables::SpeedRatio& ratio) {
  const std::string fastest = NumberCell(frames_per_second / ratio.least, 1).text;
  if (std::isnan(ratio.most)) return "<" + fastest;
  const std::string slowest = NumberCell(frames_per_second / ratio.most, 1).text;
  return slowest == fastest ? fastest : slowest + "–" + fastest;
}

std::string RatioText(const PaperTables::SpeedRatio& ratio) {
  const std::string least = NumberCell(ratio.least, 1).text;
  if (std::isnan(ratio.most)) return ">" + least;
  return ratio.least == ratio.most ? least : least + "–" + NumberCell(ratio.most, 1).text;
}

ResultTable RuntimeTable(const SuiteNumbers& numbers) {
  ResultTable table{
      .name = "runtime",
      .title = "Runtime (section 4.1 of the paper)",
      .note =
          "From before the first frame is decoded to after the last pose. Ratio: frames/s of the paper's "
          "CalfVO over those of the row. Batch 1: one window at a time, as in the paper (--live).",
      .heading = {"benchmark", "frames", "seconds", "frames/s", "ratio", "batch", "on"}};
  const auto& paper = numbers.paper.runtime;
  for (const auto& benchmark : numbers.benchmarks) {
    if (paper.benchmark == benchmark.name) {
      const auto frames = static_cast<double>(paper.frames);
      table.rows.push_back({{fmt::format("{}: {}", benchmark.name, kPaper)},
                            NumberCell(frames, 0),
                            NumberCell(frames / paper.frames_per_second, 1),
                            NumberCell(paper.frames_per_second, 1),
                            {"1.0"},
                            {"1"},
                            {paper.hardware}});
      for (const auto& ratio : numbers.paper.speed_ratios) {
        table.rows.push_back({{fmt::format("{}: {}, paper", benchmark.name, ratio.method)},
                              NumberCell(frames, 0),
                              {"-"},
                              {SlowerThan(paper.frames_per_second, ratio)},
                              {RatioText(ratio)},
                              {"1"},
                              {paper.hardware}});
      }
    }
    const double frames = Sum(benchmark.Values(numbers.overlap, &SuiteResult::frames));
    const double seconds = Sum(benchmark.Values(numbers.overlap, &SuiteResult::wall_s));
    const double speed = seconds > 0.0 ? frames / seconds : kUnknown;
    const bool is_live = Sum(benchmark.Values(numbers.overlap, &SuiteResult::live)) > 0.0;
    table.rows.push_back({{fmt::format("{}: {}, this run", benchmark.name, numbers.model)},
                          NumberCell(frames, 0),
                          NumberCell(seconds, 1),
                          NumberCell(speed, 1),
                          NumberCell(paper.frames_per_second / speed, 2),
                          {is_live ? "1" : "several"},
                          {numbers.hardware}});
  }
  return table;
}

// Over all pairs of frames, not over sequences.
double EstimatesOfAll(const SuiteNumbers& numbers, int overlap) {
  double estimates = 0.0;
  double pairs = 0.0;
  for (const auto& benchmark : numbers.benchmarks) {
    const auto pairs_of = [](const SuiteResult& result) { return static_cast<double>(result.poses - 1); };
    pairs += Sum(benchmark.Values(overlap, pairs_of));
    estimates += Sum(benchmark.Values(
        overlap, [&](const SuiteResult& result) { return result.estimates_per_pair * pairs_of(result); }));
  }
  return pairs > 0.0 ? estimates / pairs : kUnknown;
}

ResultTable OverlapTable(const SuiteNumbers& numbers) {
  ResultTable table{
      .name = "overlap",
      .title = "Effect of window overlap (Table S2 of the paper)",
      .note =
          "Windows of K frames that share N give (K-1)/(K-N) estimates per pair but for the ends. "
          "The paper's runtime is over its 137 sequences.",
      .heading = {"frames shared"}};
  const auto& sweep = numbers.paper.overlap;
  for (const auto& paper : sweep) table.heading.push_back(std::to_string(paper.frames));
  const auto add_row = [&](const std::string& label, int decimals, const auto& number) {
    std::vector<TableCell> row = {{label}};
    for (const auto& paper : sweep) row.push_back(NumberCell(number(paper), decimals));
    if (HasNumber(row)) table.rows.push_back(std::move(row));
  };
  for (const auto& benchmark : numbers.benchmarks) {
    const auto add_metric = [&](const char* metric, double PathScores::*score,
                                std::vector<double> PaperTables::Overlap::*list) {
      const std::string label = fmt::format("{} {}", benchmark.name, metric);
      add_row(label + ": paper", 5, [&](const auto& paper) { return benchmark.Paper(paper.*list); });
      for (const auto& [name, scores] :
           {Scored{"this run", &SuiteResult::scores}, Scored{kZero, &SuiteResult::zero},
            Scored{kConstant, &SuiteResult::constant}}) {
        add_row(fmt::format("{}: {}", label, name), 5, [&, of = scores](const auto& paper) {
          return MeanScore(benchmark, static_cast<int>(paper.frames), of, score);
        });
      }
    };
    add_metric("t_rel", &PathScores::t_rel, &PaperTables::Overlap::t_rel);
    add_metric("r_rel", &PathScores::r_rel, &PaperTables::Overlap::r_rel);
  }
  add_row("estimates per pair: paper", 2, [](const auto& paper) { return paper.estimates_per_pair; });
  add_row("estimates per pair: this run", 2,
          [&](const auto& paper) { return EstimatesOfAll(numbers, static_cast<int>(paper.frames)); });
  add_row("runtime, s: paper", 0, [](const auto& paper) { return paper.runtime_s; });
  add_row("runtime, s: this run", 1, [&](const auto& paper) {
    double seconds = 0.0;
    for (const auto& benchmark : numbers.benchmarks) {
      seconds += Sum(benchmark.Values(static_cast<int>(paper.frames), &SuiteResult::wall_s));
    }
    return seconds > 0.0 ? seconds : kUnknown;
  });
  return table;
}

// One folder's worth of results for the tables that compare folders.
SuiteFolder FolderOf(const SuiteNumbers& numbers) {
  SuiteFolder folder{.name = numbers.model + ", this run", .overlap = numbers.overlap};
  for (const auto& benchmark : numbers.benchmarks) {
    for (const SuiteSequence* sequence : benchmark.sequences) {
      const auto found = sequence->results.find(numbers.overlap);
      if (found == sequence->results.end()) continue;
      folder.sequences.push_back(*sequence);
      folder.flip = found->second.flip;
      folder.backend = found->second.backend;
      folder.design = found->second.design;
    }
  }
  return folder;
}

ResultTable AblationsOfOneTable(const SuiteNumbers& numbers) {
  const SuiteFolder folder = FolderOf(numbers);
  return AblationsTable({&folder, 1}, numbers.paper, PaperRows::kAll);
}

ResultTable ConfidenceTableOfOne(const SuiteNumbers& numbers) {
  const SuiteFolder folder = FolderOf(numbers);
  return ConfidenceTable({&folder, 1}, numbers.paper);
}

constexpr SuiteTable kTables[] = {{"sequences", SequencesTable},
                                  {"accuracy", AccuracyTable},
                                  {"scale", ScaleTable},
                                  {"ablations", AblationsOfOneTable},
                                  {"confidence", ConfidenceTableOfOne},
                                  {"global", GlobalTable},
                                  {"completion", CompletionTable},
                                  {"intrinsics", IntrinsicsTable},
                                  {"calibration", CalibrationTable, /*has_figure=*/true},
                                  {"movers", MoversTable},
                                  {"poses", PosesTable},
                                  {"runtime", RuntimeTable},
                                  {"overlap", OverlapTable}};

}  // namespace

std::span<const SuiteTable> SuiteTables() {
  return kTables;
}

std::vector<int> SweptOverlaps(const PaperTables& paper) {
  std::vector<int> overlaps;
  for (const auto& row : paper.overlap) overlaps.push_back(static_cast<int>(row.frames));
  return overlaps;
}

}  // namespace calfvo
