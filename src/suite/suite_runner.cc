// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "base/atomic_file.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/sha256.h"
#include "calfvo/error.h"
#include "eval/table.h"
#include "run/evaluated_run.h"
#include "run/run_input.h"
#include "run/video_runner.h"
#include "suite/choose_sequences.h"
#include "suite/path_scores.h"
#include "suite/pose_calibration.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

std::string Label(const FoundSequence& found) {
  return fmt::format("{}/{}", found.kind, found.name);
}

Trajectory TruePath(const SequenceSource& sequence) {
  Trajectory path;
  for (const SequenceFrame& frame : sequence.frames()) {
    if (!frame.world_from_camera) continue;
    path.timestamps_ns.push_back(frame.timestamp_ns);
    path.world_from_camera.push_back(*frame.world_from_camera);
  }
  return path;
}

// Evaluates the run that `report` tells of, and draws it if asked to.
SuiteResult EvaluateSequence(const SequenceSource& sequence, const RunReport& report, const fs::path& folder,
                             bool draws) {
  const Trajectory reference = TruePath(sequence);
  const Trajectory estimate = ReadTrajectory(folder / "poses.csv", TrajectoryFormat::kCsv);
  const std::vector<PoseStep> steps = ReadPoseSteps(folder / "poses.csv");
  if (estimate.size() != sequence.frames().size() || steps.size() != estimate.size()) {
    throw Error(fmt::format("{}: has {} poses for {} frames", folder.string(), estimate.size(),
                            sequence.frames().size()));
  }
  WriteTrajectory(reference, folder / "groundtruth.tum", TrajectoryFormat::kTum);
  if (draws) {
    const Evaluation evaluation = Evaluate(reference, estimate, {.alignment = Alignment::kOrigin});
    WriteRunReport(
        {sequence.name(), reference, estimate, evaluation}, steps,
        [&](size_t pose, Frame& picture) { sequence.Read(static_cast<int64_t>(pose), picture); },
        folder / "report");
  }
  std::vector<std::optional<Rigid3>> truth;
  for (const SequenceFrame& frame : sequence.frames()) truth.push_back(frame.world_from_camera);
  return {.model = report.model,
          .model_sha256 = report.model_sha256,
          .backend = report.backend,
          .overlap = report.options.overlap,
          .mirror = report.options.mirror,
          .frames = report.frames,
          .poses = report.poses,
          .wall_s = report.wall_s,
          .estimates_per_pair = EstimatesPerPair(steps),
          .scores = ScorePath(reference, estimate),
          .zero = ScorePath(reference, ZeroMotion(reference)),
          .constant = ScorePath(reference, ConstantMotion(reference)),
          .calibration = CalibrateSteps(truth, estimate.world_from_camera, steps),
          .pose_calibration = CalibratePoses(truth, estimate, steps)};
}

class Suite {
 public:
  Suite(const SuiteOptions& options, const std::atomic<bool>& stop) : options_(options), stop_(stop) {
    overlaps_ = {options.run.overlap};
    for (const int overlap : options.more_overlaps) {
      if (std::find(overlaps_.begin(), overlaps_.end(), overlap) == overlaps_.end()) {
        overlaps_.push_back(overlap);
      }
    }
    const ChosenModel model = OpenModel(options.run.model);
    for (const int overlap : overlaps_) TrackerOptions{.overlap = overlap}.Validate(model.file.config.window);
    settings_.model = model.file.config.name;
    if (!model.path.empty()) settings_.model_sha256 = Sha256OfFile(model.path);
    const BackendKind kind = ChooseBackend(options.run.backend, options.run.precision);
    settings_.backend = MakeBackend(kind, options.run.threads)->Description();
    settings_.mirror = options.run.mirror;
    settings_.design = DesignOf(model.file.config);
  }

  std::vector<SuiteSequence> Run() {
    Plan();
    int64_t frames = 0;
    for (const SuiteSequence& sequence : sequences_) {
      if (!sequence.error.empty()) continue;
      const auto missing = static_cast<int64_t>(overlaps_.size() - sequence.results.size());
      frames += missing * sequence.frames;
    }
    Progress progress("suite", "frames", frames, options_.run.quiet);
    for (const int overlap : overlaps_) RunOverlap(overlap, progress);
    return std::move(sequences_);
  }

 private:
  fs::path Folder(const FoundSequence& found, int overlap) const {
    const fs::path folder = options_.output / found.kind / found.name;
    return overlap == options_.run.overlap ? folder : folder / fmt::format("overlap-{}", overlap);
  }

  // Reads what has been done and looks at what is to do.
  void Plan() {
    for (const FoundSequence& found : ChooseSequences(options_)) {
      SuiteSequence sequence{.found = found};
      for (const int overlap : overlaps_) ReadDone(overlap, sequence);
      if (sequence.results.size() < overlaps_.size() && !Open(sequence)) continue;
      sequences_.push_back(std::move(sequence));
    }
  }

  void ReadDone(int overlap, SuiteSequence& sequence) const {
    const fs::path path = Folder(sequence.found, overlap) / "result.json";
    std::error_code error;
    const bool exists = fs::exists(path, error);
    if (error) throw Error(fmt::format("{}: cannot be read: {}", path.string(), error.message()));
    if (!exists) return;
    SuiteResult result = ReadSuiteResult(path);
    SuiteResult wanted = settings_;
    wanted.overlap = overlap;
    if (!HaveSameSettings(result, wanted)) {
      throw Error(fmt::format(
          "{}: is a result of other settings ({}; now {}); give the same ones or another folder, or remove "
          "this one",
          path.string(), SettingsText(result), SettingsText(wanted)));
    }
    sequence.frames = result.frames;
    sequence.results.emplace(overlap, std::move(result));
  }

  // False where there is nothing to compare with.
  bool Open(SuiteSequence& sequence) const {
    try {
      const auto source = OpenSequence(sequence.found);
      sequence.frames = static_cast<int64_t>(source->frames().size());
      if (TruePath(*source).size() >= 2) return true;
      LogWarning("{}: left out, as it has no true poses", Label(sequence.found));
      return false;
    } catch (const Error& error) {
      sequence.error = error.what();
      return true;
    }
  }

  void RunOverlap(int overlap, Progress& progress) {
    RunOptions run = options_.run;
    run.overlap = overlap;
    run.overwrite = true;  // what has no result.json was not finished; the data may have moved since
    std::unique_ptr<VideoRunner> runner;  // made when something is to do
    for (size_t i = 0; i < sequences_.size() && !stop_; ++i) {
      SuiteSequence& sequence = sequences_[i];
      if (!sequence.error.empty() || sequence.results.contains(overlap)) continue;
      if (!runner) runner = std::make_unique<VideoRunner>(run);
      const std::string label =
          fmt::format("[{}/{}] {}, overlap {}", i + 1, sequences_.size(), Label(sequence.found), overlap);
      try {
        const auto result = RunSequence(*runner, sequence.found, Folder(sequence.found, overlap), progress);
        if (!result) return;
        progress.Print(fmt::format("{}: {} frames, {:.1f} frames/s, t_rel {} m, r_rel {}°", label,
                                   result->frames, static_cast<double>(result->frames) / result->wall_s,
                                   FormatValue(result->scores.t_rel), FormatValue(result->scores.r_rel)));
        sequence.results.emplace(overlap, *result);
      } catch (const Error& error) {
        if (stop_) return;
        sequence.error = error.what();
        progress.Print(fmt::format("{}: failed", label));
      }
    }
  }

  // Nothing where it was stopped.
  std::optional<SuiteResult> RunSequence(VideoRunner& runner, const FoundSequence& found,
                                         const fs::path& folder, Progress& progress) const {
    const std::string input = std::string(kDatasetPrefix) + found.path.string();
    const RunReport report = runner.Run(input, folder, stop_, &progress);
    if (report.interrupted) return {};
    const bool draws = report.options.overlap == options_.run.overlap;
    SuiteResult result = EvaluateSequence(*OpenSequence(found), report, folder, draws);
    result.design = settings_.design;
    WriteSuiteResult(result, folder / "result.json");
    return result;
  }

  const SuiteOptions& options_;
  const std::atomic<bool>& stop_;
  std::vector<int> overlaps_;
  SuiteResult settings_;  // those of every result, but for the overlap; and the model's design
  std::vector<SuiteSequence> sequences_;
};

}  // namespace

std::vector<SuiteSequence> RunSuite(const SuiteOptions& options, const std::atomic<bool>& stop) {
  return Suite(options, stop).Run();
}

}  // namespace calfvo
