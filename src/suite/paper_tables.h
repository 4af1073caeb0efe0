// SPDX-License-Identifier: Apache-2.0
// The numbers that the paper prints: configs/paper_tables.toml, which is compiled in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "suite/model_design.h"

namespace calfvo {

// Lists have one number per benchmark, in the order of PaperTables::benchmarks; NaN where none is printed.
struct PaperTables {
  struct Benchmark {
    std::string name;  // "TUM"
    std::string kind;  // of the dataset: "tum"
  };
  struct Accuracy {
    std::string method;
    bool calibrated = false;
    bool aligned = false;
    std::vector<double> t_rel, r_rel;
  };
  struct Scale {
    std::vector<double> sequences, median_scale, t_rel_aligned, t_rel_as_is;
  };
  struct Ablation {
    std::string name;
    ModelDesign design;
    std::vector<double> t_rel, r_rel;
  };
  struct Overlap {
    int64_t frames = 0;
    std::vector<double> t_rel, r_rel;
    double estimates_per_pair = 0.0;
    double runtime_s = 0.0;
  };
  struct Global {
    std::vector<double> ate_as_is, ate_aligned, are_as_is, are_aligned;
  };
  struct Completion {
    std::string method;
    std::string benchmark;
    int64_t completed = 0;
    int64_t sequences = 0;
  };
  struct Runtime {
    std::string benchmark;
    int64_t frames = 0;
    double frames_per_second = 0.0;
    std::string hardware;
  };

  std::vector<Benchmark> benchmarks;
  std::vector<Accuracy> accuracy;
  Scale scale;
  std::vector<Ablation> ablations;
  std::vector<Overlap> overlap;
  Global global;
  std::vector<Completion> completion;
  Runtime runtime;
};

// Throws Error naming line and key, also for keys that are missing or too many.
PaperTables ParsePaperTables(std::string_view toml);

// The paper's.
PaperTables ReadPaperTables();

}  // namespace calfvo
