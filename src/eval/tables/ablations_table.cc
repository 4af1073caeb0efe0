// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/ablations_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/quoted.h"
#include "eval/metrics/statistics.h"
#include "eval/tables/suite_numbers.h"
#include "nn/architecture/model_config_names.h"

namespace calfvo {
namespace {

std::vector<TableCell> DesignCells(const std::optional<ModelDesign>& design) {
  if (!design) return {{"?"}, {"?"}, {"?"}, {"?"}};
  return {{NameOf(kEncoderNames, design->encoder)},
          {NameOf(kDecoderNames, design->attention)},
          {NameOf(kRotationNames, design->rotation)},
          {design->confidence ? "yes" : "none"}};
}

// Names and frames alone would take two rooms of the same name for one. Standing still has errors that come
// of the true poses alone; machines and versions may round them differently.
bool IsSameSequence(const SuiteSequence* a, const SuiteSequence* b) {
  const auto near = [](double x, double y) {
    return (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= 1e-6 * std::abs(x);
  };
  const PathScores& still_a = a->results.begin()->second.zero;
  const PathScores& still_b = b->results.begin()->second.zero;
  return a->found.name == b->found.name && a->frames == b->frames && near(still_a.t_rel, still_b.t_rel) &&
         near(still_a.r_rel, still_b.r_rel);
}

bool HaveSameSequences(const BenchmarkResults& a, const BenchmarkResults& b) {
  return std::equal(a.sequences.begin(), a.sequences.end(), b.sequences.begin(), b.sequences.end(),
                    IsSameSequence);
}

class Comparison {
 public:
  Comparison(std::span<const SuiteFolder> folders, const PaperTables& paper, PaperRows rows)
      : folders_(folders),
        paper_(paper),
        paper_rows_(rows),
        tells_overlap_(!AllAsUsual(&SuiteFolder::overlap)),
        tells_flip_(!AllAsUsual(&SuiteFolder::flip)) {
    for (const SuiteFolder& folder : folders) {
      all_.insert(all_.end(), folder.sequences.begin(), folder.sequences.end());
      numbers_.emplace_back(folder.sequences, folder.overlap, paper);
    }
    benchmarks_ = SuiteNumbers(all_, usual_.overlap, paper).benchmarks;
  }

  ResultTable Make() {
    table_ = {.name = "ablations",
              .title = "Ablations: errors per frame, t_rel in m, r_rel in ° (Tables 3 and S1 of the paper)",
              .note = "Means over sequences.",
              .heading = {"suite", "encoder", "attention", "rotation", "confidence"}};
    if (tells_overlap_) table_.heading.emplace_back("overlap");
    if (tells_flip_) table_.heading.emplace_back("flip");
    const size_t first_number = table_.heading.size();
    for (const BenchmarkResults& benchmark : benchmarks_) {
      table_.heading.push_back(benchmark.name + " t_rel");
      table_.heading.push_back(benchmark.name + " r_rel");
    }
    AddRows();
    for (size_t i = 0; i < benchmarks_.size(); ++i) MarkBenchmark(benchmarks_[i], first_number + 2 * i);
    AddNoteOnSettings();
    return std::move(table_);
  }

 private:
  bool AllAsUsual(const auto& member) const {
    return std::all_of(folders_.begin(), folders_.end(),
                       [&](const SuiteFolder& folder) { return folder.*member == usual_.*member; });
  }
  bool AllAlike(const auto& member) const {
    return std::all_of(folders_.begin(), folders_.end(),
                       [&](const SuiteFolder& folder) { return folder.*member == folders_[0].*member; });
  }

  // Of one folder; nothing where it has none.
  const BenchmarkResults* Find(size_t folder, const BenchmarkResults& benchmark) const {
    for (const BenchmarkResults& results : numbers_[folder].benchmarks) {
      if (results.name == benchmark.name) return &results;
    }
    return nullptr;
  }

  double Mean(size_t folder, const BenchmarkResults& benchmark, double PathScores::*score) const {
    const BenchmarkResults* results = Find(folder, benchmark);
    if (results == nullptr) return kUnknown;
    return MeanOfKnown(results->Values(numbers_[folder].overlap,
                                       [&](const SuiteResult& result) { return result.scores.*score; }));
  }

  // Of a benchmark that is in the table.
  bool HasNumber(const PaperTables::Ablation& ablation) const {
    return std::any_of(benchmarks_.begin(), benchmarks_.end(), [&](const BenchmarkResults& benchmark) {
      return !std::isnan(benchmark.Paper(ablation.t_rel));
    });
  }

  void AddRows() {
    bool has_paper = false;
    for (size_t i = 0; i < folders_.size(); ++i) {
      const SuiteFolder& folder = folders_[i];
      rows_.push_back(table_.rows.size());
      AddRow(folder.name, folder.design, folder, [&](const BenchmarkResults& benchmark) {
        return std::pair(Mean(i, benchmark, &PathScores::t_rel), Mean(i, benchmark, &PathScores::r_rel));
      });
      const auto rest = folders_.subspan(i + 1);
      const bool comes_again = std::any_of(
          rest.begin(), rest.end(), [&](const SuiteFolder& later) { return later.design == folder.design; });
      if (comes_again) continue;
      for (const PaperTables::Ablation& ablation : paper_.ablations) {
        const bool is_shown = paper_rows_ == PaperRows::kAll || folder.design == ablation.design;
        if (!is_shown || !HasNumber(ablation)) continue;
        has_paper = true;
        AddRow(ablation.name + ", paper", ablation.design, usual_, [&](const BenchmarkResults& benchmark) {
          return std::pair(benchmark.Paper(ablation.t_rel), benchmark.Paper(ablation.r_rel));
        });
      }
    }
    if (!has_paper) return;
    table_.note +=
        " The paper's models are of its size and have had 11.4k steps; they are not marked, and but for "
        "confidence it prints ScanNet alone.";
  }

  // `errors` gives t_rel and r_rel of a benchmark.
  void AddRow(const std::string& name, const std::optional<ModelDesign>& design, const SuiteFolder& settings,
              const auto& errors) {
    std::vector<TableCell>& row = table_.rows.emplace_back();
    row.push_back({name});
    for (const TableCell& cell : DesignCells(design)) row.push_back(cell);
    if (tells_overlap_) row.push_back({std::to_string(settings.overlap)});
    if (tells_flip_) row.push_back({settings.flip ? "yes" : "no"});
    for (const BenchmarkResults& benchmark : benchmarks_) {
      constexpr int kDecimals = 4;
      const auto [t_rel, r_rel] = errors(benchmark);
      row.push_back(NumberCell(t_rel, kDecimals));
      row.push_back(NumberCell(r_rel, kDecimals));
    }
  }

  // Marks the two columns from `column` on, or says why not.
  void MarkBenchmark(const BenchmarkResults& benchmark, size_t column) {
    std::vector<size_t> compared;  // rows
    std::vector<std::string> counts;
    const BenchmarkResults* first = nullptr;
    bool same = true;
    for (size_t i = 0; i < folders_.size(); ++i) {
      const BenchmarkResults* results = Find(i, benchmark);
      if (results == nullptr) continue;
      if (first == nullptr) first = results;
      same = same && HaveSameSequences(*first, *results);
      compared.push_back(rows_[i]);
      counts.push_back(fmt::format("{} {}", folders_[i].name, results->sequences.size()));
    }
    if (!same) {
      table_.note += fmt::format(" {}: not the same sequences ({}), so not marked.", benchmark.name,
                                 fmt::join(counts, ", "));
      return;
    }
    const auto count = static_cast<double>(first->sequences.size());
    const double published = benchmark.Paper(paper_.scale.sequences);
    if (benchmark.paper_index >= 0 && count != published) {
      table_.note +=
          fmt::format(" {}: {} sequences here, {} in the paper.", benchmark.name, count, published);
    }
    if (compared.size() < 2) return;
    MarkSmallest(table_, column, compared);
    MarkSmallest(table_, column + 1, compared);
  }

  // On what keeps rows from being compared as models.
  void AddNoteOnSettings() {
    if (!AllAlike(&SuiteFolder::overlap) || !AllAlike(&SuiteFolder::flip)) {
      table_.note += " Overlaps or flips differ, so differences are not of the models alone.";
    }
    if (!AllAlike(&SuiteFolder::backend)) {
      std::vector<std::string> backends;
      for (const SuiteFolder& folder : folders_) {
        backends.push_back(fmt::format("{} {}", folder.name, Quoted(folder.backend)));
      }
      table_.note += fmt::format(" Backends differ, which may change digits: {}.", fmt::join(backends, ", "));
    }
    const bool all_known = std::all_of(folders_.begin(), folders_.end(),
                                       [](const SuiteFolder& folder) { return folder.design.has_value(); });
    if (!all_known) table_.note += " ?: the results are of a version that did not record it.";
  }

  const std::span<const SuiteFolder> folders_;
  const PaperTables& paper_;
  const PaperRows paper_rows_;
  const SuiteFolder usual_{.overlap = kPaperOverlap};
  const bool tells_overlap_;
  const bool tells_flip_;
  std::vector<SuiteSequence> all_;
  std::vector<SuiteNumbers> numbers_;  // of each folder
  std::vector<BenchmarkResults> benchmarks_;
  std::vector<size_t> rows_;  // of the folders
  ResultTable table_;
};

}  // namespace

ResultTable AblationsTable(std::span<const SuiteFolder> folders, const PaperTables& paper, PaperRows rows) {
  return Comparison(folders, paper, rows).Make();
}

}  // namespace calfvo
