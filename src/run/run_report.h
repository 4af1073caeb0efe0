// SPDX-License-Identifier: Apache-2.0
// What a run did: run.json, and a summary for people.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calfvo/evaluation.h"
#include "odometry/pipeline.h"
#include "run/run_options.h"

namespace calfvo {

struct RunReport {
  std::string input;   // as AbsoluteInput gives it
  std::string source;  // SourceInfo::kind and description
  std::string model;
  std::string model_sha256;  // empty for random weights
  std::string backend;
  RunOptions options;

  int64_t frames = 0;
  int64_t poses = 0;
  int64_t dropped = 0;
  int64_t damaged = 0;
  // The first of the damaged frames, at most kMaxDamages: their numbers and what is wrong.
  static constexpr size_t kMaxDamages = 1000;
  std::vector<std::pair<int64_t, std::string>> damages;
  bool interrupted = false;
  int latency_frames = 0;

  double duration_s = 0.0;  // from the first timestamp to the last
  double path_length_m = 0.0;
  // Means over the edges; nothing where the model has no confidence.
  std::optional<double> mean_sigma_translation_m;
  std::optional<double> mean_sigma_rotation_deg;

  double load_s = 0.0;  // opening the model
  double wall_s = 0.0;  // from before the first frame is decoded to after the last pose is written
  StageTimes stages;
  double peak_rss_mb = 0.0;

  std::map<std::string, std::string> outputs;  // what → path
  std::optional<Evaluation> evaluation;
  std::string evaluation_error;  // why there is none, or no pictures of it, though it was asked for

  double fps() const { return wall_s > 0.0 ? static_cast<double>(frames) / wall_s : 0.0; }
};

// The JSON of docs/run.md.
std::string RunReportJson(const RunReport& report);
std::string RunReportText(const RunReport& report);

// What went wrong with the evaluation, where `evaluation_error` is not empty.
std::string EvaluationErrorText(const RunReport& report);

// How the run that `run_json` tells of differs from what `wanted` (model and options) would give: "overlap 5,
// now 3; no npz". Empty where it does not: threads and --live change no results, and further outputs do no
// harm. `run_json` is a JSON object.
std::string DifferentSettings(const std::string& run_json, const RunReport& wanted);

}  // namespace calfvo
