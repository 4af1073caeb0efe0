// SPDX-License-Identifier: Apache-2.0
// What `calfvo run` can be told; one field per flag.
#pragma once

#include <filesystem>
#include <string>

#include "frames/frame_source.h"

namespace calfvo {

struct RunOptions {
  std::string model = "calfvo-s";  // as OpenModel takes it
  std::string backend = "auto";    // as ChooseBackend takes them
  std::string precision = "auto";
  int threads = 0;      // 0: one per core
  int window = 0;       // frames; 0 or the model's own
  int overlap = 5;      // frames that consecutive windows share
  bool mirror = false;  // as OdometryOptions
  bool live = false;    // estimate frame by frame, and write each pose as it comes
  SourceOptions source;

  bool npz = false;                    // write trajectory.npz too
  bool colmap = false;                 // write colmap/ too
  std::filesystem::path ground_truth;  // evaluate against this file, if not empty
  double max_diff_s = 0.01;            // as EvaluationOptions

  bool overwrite = false;  // replace results of another input, too (run_folder.h), or of others of these
  bool quiet = false;      // no progress bar
};

}  // namespace calfvo
