// SPDX-License-Identifier: Apache-2.0
// The result of a run: run.json and a printed summary.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calfvo/evaluation.h"
#include "commands/run/run_folder.h"
#include "commands/run/run_options.h"
#include "refine/refiner.h"
#include "vo/pipeline.h"

namespace calfvo {

struct RunReport {
  std::string input;        // as AbsoluteInput gives it
  std::string input_state;  // of input_state.h, before the run
  std::string source;       // SourceInfo::kind and description
  std::string model;
  std::string model_sha256;  // empty for random weights
  std::string backend;
  RunOptions options;

  int64_t frames = 0;
  int64_t poses = 0;
  int64_t dropped = 0;
  int64_t damaged = 0;
  // The first kMaxDamages damaged frames: index and reason.
  static constexpr size_t kMaxDamages = 1000;
  std::vector<std::pair<int64_t, std::string>> damages;
  bool interrupted = false;
  int latency_frames = 0;

  int width = 0;  // of the first image, pixels
  int height = 0;
  double duration_s = 0.0;  // from the first timestamp to the last
  double path_length_m = 0.0;
  // Means over the edges; nothing where the model has no confidence.
  std::optional<double> mean_sigma_translation_m;
  std::optional<double> mean_sigma_rotation_deg;

  double load_s = 0.0;  // opening the model
  double wall_s = 0.0;  // from before the first frame is decoded to after the last pose is written
  StageTimes stages;
  double peak_rss_mb = 0.0;

  std::optional<RefineSummary> refine;

  std::map<std::string, std::string> outputs;  // name → path
  std::map<std::string, FileRecord> files;     // all that were written, relative to the folder
  std::optional<Evaluation> evaluation;
  std::string evaluation_error;  // why it failed, if it was requested

  double fps() const { return wall_s > 0.0 ? static_cast<double>(frames) / wall_s : 0.0; }
};

// The JSON of docs/run.md.
std::string RunReportJson(const RunReport& report);
std::string RunReportText(const RunReport& report);

// The message for an `evaluation_error` that is not empty.
std::string EvaluationErrorText(const RunReport& report);

// Whether the input of the run in `run_json` was in another state than `input_state`, as far as both are
// known.
bool InputHasChanged(const std::string& run_json, const std::string& input_state);

// How the settings in `run_json`, a JSON object, differ from those of `wanted`: "overlap 5, now 3; no npz".
// Empty if they agree. Threads and --live change no results, and additional outputs do not count.
std::string DifferentSettings(const std::string& run_json, const RunReport& wanted);

}  // namespace calfvo
