// SPDX-License-Identifier: Apache-2.0
// The paper's tables, with the numbers of a suite beside those that were printed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suite/paper_tables.h"
#include "suite/result_table.h"
#include "suite/suite_runner.h"

namespace calfvo {

// All sequences of one dataset. Numbers are means over its sequences, as the paper averages.
struct BenchmarkResults {
  std::string name;      // the paper's, else the kind of dataset
  int paper_index = -1;  // in the lists of PaperTables; −1 for what the paper has not
  std::vector<const SuiteSequence*> sequences;

  // The mean over the sequences that have a result and a number.
  double Mean(int overlap, double (*number)(const SuiteResult&)) const;
  // Of one of the paper's lists; unknown where the paper has none.
  double Paper(const std::vector<double>& list) const;
};

// What the tables are made of. Everything is borrowed.
struct SuiteNumbers {
  SuiteNumbers(std::span<const SuiteSequence> sequences, int overlap, const PaperTables& paper);

  const PaperTables& paper;
  int overlap;        // that all tables but the sweep are of
  std::string model;  // its name; "no result" where nothing was done
  std::string hardware;
  std::vector<BenchmarkResults> benchmarks;  // the paper's in its order, then others as they were found
};

struct SuiteTable {
  std::string_view name;
  ResultTable (*make)(const SuiteNumbers& numbers);
};

// accuracy, scale, global, completion, calibration, runtime, and, which needs runs of its own, overlap.
std::span<const SuiteTable> SuiteTables();

// The overlaps of the paper's sweep.
std::vector<int> SweptOverlaps(const PaperTables& paper);

}  // namespace calfvo
