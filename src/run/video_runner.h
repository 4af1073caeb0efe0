// SPDX-License-Identifier: Apache-2.0
// One video to a folder of results.
#pragma once

#include <atomic>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "base/progress.h"
#include "calfvo/trajectory.h"
#include "estimator/model_choice.h"
#include "estimator/network_estimator.h"
#include "run/run_report.h"

namespace calfvo {

// Opens the model once and runs any number of videos through it. One thread at a time.
class VideoRunner {
 public:
  // Throws Error for options that make no sense, and for a model or true path that cannot be read.
  explicit VideoRunner(const RunOptions& options);

  // Whether `folder` holds the whole run of `input` with this model and these options, so that running it
  // would change nothing. Where it holds one of others: false if it may be overwritten, else throws Error.
  bool IsDone(const std::string& input, const std::filesystem::path& folder) const;

  // Writes everything into `folder` (run_folder.h), run.json last: where that file is, the run is complete.
  // `stop`, set from elsewhere, ends the run early with what has been read. Throws Error when nothing could
  // be estimated; the folder is then as it was. Where the input breaks off (a camera that vanishes), writes
  // what there is and throws then. Where only the evaluation fails, the report says so. `input` as OpenInput
  // takes it. Given `whole`, advances that by the frames instead of showing a bar of its own.
  RunReport Run(const std::string& input, const std::filesystem::path& folder, const std::atomic<bool>& stop,
                Progress* whole = nullptr);

 private:
  RunReport StartReport(const std::string& input, const SourceInfo& source) const;
  void EvaluateRun(const std::string& input, bool can_be_read_again, const std::filesystem::path& folder,
                   RunReport& report) const;

  const RunOptions options_;
  std::optional<Trajectory> reference_;  // options_.ground_truth, if there is one
  double load_s_ = 0.0;
  ModelConfig config_;
  std::filesystem::path model_path_;
  std::unique_ptr<NetworkEstimator> estimator_;
  std::shared_future<std::string>
      model_sha256_;  // computed beside the work: it takes a while for large models
};

}  // namespace calfvo
