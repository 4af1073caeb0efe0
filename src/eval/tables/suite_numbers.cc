// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/suite_numbers.h"

#include <algorithm>

namespace calfvo {

double BenchmarkResults::Paper(const std::vector<double>& list) const {
  return paper_index < 0 ? kUnknown : list[static_cast<size_t>(paper_index)];
}

SuiteNumbers::SuiteNumbers(std::span<const SuiteSequence> sequences, int base_overlap,
                           const PaperTables& paper_tables)
    : paper(paper_tables), overlap(base_overlap), model("no result"), method(model) {
  std::vector<std::string> kinds;
  for (const auto& benchmark : paper.benchmarks) {
    benchmarks.push_back({benchmark.name, static_cast<int>(benchmarks.size()), {}});
    kinds.push_back(benchmark.kind);
  }
  for (const SuiteSequence& sequence : sequences) {
    auto kind = std::find(kinds.begin(), kinds.end(), sequence.found.kind);
    if (kind == kinds.end()) {
      kind = kinds.insert(kinds.end(), sequence.found.kind);
      benchmarks.push_back({sequence.found.kind, -1, {}});
    }
    benchmarks[static_cast<size_t>(kind - kinds.begin())].sequences.push_back(&sequence);
    for (const auto& [_, result] : sequence.results) {
      model = result.model;
      hardware = result.backend;
      method = result.model + (result.refine ? " refined" : "") + (result.masks ? " with masks" : "");
    }
  }
  std::erase_if(benchmarks, [](const auto& benchmark) { return benchmark.sequences.empty(); });
}

}  // namespace calfvo
