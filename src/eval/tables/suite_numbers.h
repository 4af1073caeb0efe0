// SPDX-License-Identifier: Apache-2.0
// The results of a suite, benchmark by benchmark.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eval/tables/paper_tables.h"
#include "eval/tables/suite_result.h"

namespace calfvo {

// All sequences of one dataset.
struct BenchmarkResults {
  std::string name;      // the paper's, else the kind of dataset
  int paper_index = -1;  // in the lists of PaperTables; −1 for what the paper has not
  std::vector<const SuiteSequence*> sequences;

  // number(result), or a member of it, of each sequence that has a result of this overlap.
  template <typename Number>
  std::vector<double> Values(int overlap, const Number& number) const {
    std::vector<double> values;
    for (const SuiteSequence* sequence : sequences) {
      const auto found = sequence->results.find(overlap);
      if (found != sequence->results.end())
        values.push_back(static_cast<double>(std::invoke(number, found->second)));
    }
    return values;
  }

  // This benchmark's of one of the paper's lists; unknown where the paper has none.
  double Paper(const std::vector<double>& list) const;
};

// Intrinsics of sequences by kind and name, as another method estimated them.
struct IntrinsicsFile {
  std::string name;  // of the method
  std::map<std::pair<std::string, std::string>, CameraIntrinsics> sequences;
};

// What the tables are made of. Everything is borrowed.
struct SuiteNumbers {
  SuiteNumbers(std::span<const SuiteSequence> sequences, int overlap, const PaperTables& paper);

  const PaperTables& paper;
  int overlap;           // that all tables but the sweep are of
  std::string model;     // its name; "no result" where nothing was done
  std::string hardware;  // the backend's description
  std::string method;    // the model, and how its paths were refined: "calfvo-s refined with masks"
  std::span<const IntrinsicsFile> intrinsics_files = {};
  std::vector<BenchmarkResults> benchmarks;  // the paper's in its order, then others as they were found
};

}  // namespace calfvo
