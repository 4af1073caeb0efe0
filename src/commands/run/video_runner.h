// SPDX-License-Identifier: Apache-2.0
// One video to a folder of results.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calfvo/trajectory.h"
#include "commands/page/key_frames.h"
#include "commands/page/page_template.h"
#include "commands/run/run_folder.h"
#include "commands/run/run_outputs.h"
#include "commands/run/run_poses.h"
#include "commands/run/run_report.h"
#include "core/base/progress.h"
#include "vo/model_choice.h"
#include "vo/network_estimator.h"

namespace calfvo {

struct RunResult {
  RunReport report;
  RunPoses poses;  // with RunOptions::keep_poses or ground truth; empty otherwise
};

// What the caller adds to one run.
struct RunAddition {
  std::vector<std::string> files = {};               // relative to the folder
  std::function<void(const RunResult&)> write = {};  // called when all else but run.json has been written
  std::optional<double> end_s = {};                  // of this input, in place of SourceOptions::end_s
  std::string mask = {};                             // likewise of RunOptions::mask, unless empty
};

// Follows a run. Functions may be empty.
struct RunObserver {
  // Before the first pose; `total` frames are expected, if that is known.
  std::function<void(const std::string& title, bool has_confidence, std::optional<int64_t> total)> start = {};
  std::function<void(const Frame& frame)> image = {};  // each frame read, on the thread that reads
  PoseSink pose = {};
};

// Opens the model once and runs any number of videos through it. One thread at a time.
class VideoRunner {
 public:
  // Throws Error for invalid options, and for a model or ground truth that cannot be read.
  explicit VideoRunner(const RunOptions& options);

  // Whether `folder` holds a complete run of `input`, in its present state, with this model and these
  // options. For a run with other settings: false if it may be overwritten, else throws Error.
  bool IsDone(const std::string& input, const std::filesystem::path& folder) const;

  // Writes everything into `folder` (run_folder.h), run.json last: where that file is, the run is complete.
  // `input` is as OpenInput takes it. `stop`, set from another thread, ends the run early with the frames
  // read so far. An input without frames throws Error and leaves the folder as it was. An input that breaks
  // off (a camera that vanishes) throws after its frames have been written. A failing evaluation is reported,
  // not thrown. Given `whole`, advances that instead of a progress bar for this video.
  RunResult Run(const std::string& input, const std::filesystem::path& folder, const std::atomic<bool>& stop,
                Progress* whole = nullptr, const RunAddition& addition = {},
                const RunObserver& observer = {});

  // The same for processes that share a list of videos: nothing where IsDone, also if another process has
  // finished the run meanwhile. Throws FolderInUse while another process is writing to `folder`.
  std::optional<RunResult> RunUnlessDone(const std::string& input, const std::filesystem::path& folder,
                                         const std::atomic<bool>& stop);

 private:
  // Opens the folder of a run; null to leave it at that.
  using OpenFolder = std::function<std::unique_ptr<RunFolder>(const RunPlan& plan)>;

  std::optional<RunResult> RunIn(const OpenFolder& open_folder, const std::string& input,
                                 const std::filesystem::path& folder, const std::atomic<bool>& stop,
                                 Progress* whole, const RunAddition& addition, const RunObserver& observer);
  RunReport StartReport(const std::string& input, const SourceInfo& source) const;
  void EvaluateRun(const std::string& input, bool can_be_read_again, const std::filesystem::path& folder,
                   RunResult& result) const;
  void WriteGroundTruth(const std::filesystem::path& folder, const RunResult& result) const;
  void WritePage(const std::string& input, const std::filesystem::path& folder, const KeyFrames& key_frames,
                 RunReport& report) const;
  RunOutputs::Options OutputOptions() const;
  RunPlan Plan(const std::string& input, const std::filesystem::path& folder,
               const RunAddition& addition) const;

  const RunOptions options_;
  std::optional<Trajectory> reference_;  // options_.ground_truth, if there is one
  std::optional<PageTemplate> page_;     // of view.html, if it is to be written
  double load_s_ = 0.0;
  ModelConfig config_;
  std::filesystem::path model_path_;
  std::unique_ptr<NetworkEstimator> estimator_;
  std::shared_future<std::string>
      model_sha256_;  // computed in the background: hashing large models takes seconds
};

}  // namespace calfvo
