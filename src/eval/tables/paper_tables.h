// SPDX-License-Identifier: Apache-2.0
// The numbers that the paper prints: configs/paper_tables.toml, which is compiled in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eval/tables/model_design.h"

namespace calfvo {

// Frames that consecutive windows share in the paper.
inline constexpr int kPaperOverlap = 5;

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
  struct Confidence {
    std::vector<double> t_rel, r_rel;  // changes without it, %
  };
  struct Intrinsics {
    std::string method;
    std::vector<double> sequences, focal_mean, focal_median, focal_max;  // % but for the first
    std::vector<double> principal_px, axis_deg;
  };
  struct SpeedRatio {
    std::string method;
    double least = 0.0;  // CalfVO's frames per second over the method's
    double most = 0.0;   // NaN where the paper gives none
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
  Confidence confidence;
  Intrinsics intrinsics;
  Runtime runtime;
  std::vector<SpeedRatio> speed_ratios;
};

// Throws Error naming line and key, also for keys that are missing or too many.
PaperTables ParsePaperTables(std::string_view toml);

// The paper's.
PaperTables ReadPaperTables();

}  // namespace calfvo
