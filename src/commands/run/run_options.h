// SPDX-License-Identifier: Apache-2.0
// The options of `calfvo run`; one field per flag.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "calfvo/refine.h"
#include "io/export/exports.h"
#include "io/video/frame_source.h"

namespace calfvo {

struct RunOptions {
  std::string model = "calfvo-s";  // as OpenModel takes it
  std::string backend = "auto";    // as ChooseBackend takes them
  std::string precision = "auto";
  int threads = 0;    // 0: one per core
  int window = 0;     // frames; 0 or the model's own
  int overlap = 5;    // frames that consecutive windows share
  bool flip = false;  // as OdometryOptions
  bool live = false;  // estimate frame by frame and write each pose at once
  SourceOptions source;
  std::optional<RefineOptions> refine;  // geometric refinement, if set
  std::string mask;                     // as RefineOptions::mask, which is not used here; also without it

  ExportOptions exports;               // formats to write too
  std::filesystem::path ground_truth;  // evaluate against this file, if not empty
  double max_diff_s = 0.01;            // as EvaluationOptions
  bool page = true;                    // write view.html too, if this build has the viewer

  bool keep_poses = false;  // return all poses as values, for a caller that evaluates them
  bool overwrite = false;   // also replace results of another input (run_folder.h) or of other options
  bool quiet = false;       // no progress bar
};

}  // namespace calfvo
