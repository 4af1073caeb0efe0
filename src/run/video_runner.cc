// SPDX-License-Identifier: Apache-2.0
#include "run/video_runner.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <new>
#include <optional>

#include "base/log.h"
#include "base/scoped_timer.h"
#include "base/sha256.h"
#include "calfvo/error.h"
#include "run/evaluated_run.h"
#include "run/run_folder.h"
#include "run/run_input.h"
#include "run/run_outputs.h"

namespace calfvo {
namespace {

double PeakRssMb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024e-6;
}

// The input's name without folders and extension, for titles.
std::string Title(const std::string& input) {
  std::string name = std::filesystem::path(InputPath(input)).stem().string();
  return name.empty() || name == "-" ? "camera path" : name;
}

}  // namespace

VideoRunner::VideoRunner(const RunOptions& options) : options_(options) {
  options_.source.Validate();
  EvaluationOptions{.max_time_difference_s = options_.max_diff_s}.Validate();
  if (!options_.ground_truth.empty()) reference_ = ReadTrajectory(options_.ground_truth);
  const BackendKind kind = ChooseBackend(options_.backend, options_.precision);
  if (options_.backend == "auto" && !BackendWarning().empty()) LogWarning("{}", BackendWarning());
  const ScopedTimer timer(load_s_);
  const ChosenModel model = OpenModel(options_.model);
  config_ = model.file.config;
  model_path_ = model.path;
  if (options_.window != 0 && options_.window != config_.window) {
    throw Error(fmt::format("--window {}: model {} was trained on windows of {}", options_.window, model.name,
                            config_.window));
  }
  TrackerOptions{.overlap = options_.overlap}.Validate(config_.window);
  estimator_ = std::make_unique<NetworkEstimator>(model.file, kind, options_.threads, options_.mirror);
  if (!model_path_.empty()) {
    model_sha256_ = std::async(std::launch::async, [path = model_path_] { return Sha256OfFile(path); });
  }
}

bool VideoRunner::IsDone(const std::string& input, const std::filesystem::path& folder) const {
  const std::optional<std::string> run_json = FinishedRun(folder, input);
  if (!run_json) return false;
  RunReport wanted;
  wanted.model = config_.name;
  if (model_sha256_.valid()) wanted.model_sha256 = model_sha256_.get();
  wanted.options = options_;
  const std::string differences = DifferentSettings(*run_json, wanted);
  if (differences.empty()) return true;
  if (options_.overwrite) return false;
  throw Error(
      fmt::format("{}: holds results of other settings ({}); give the same ones, another folder by -o, or "
                  "--overwrite to run it again",
                  folder.string(), differences));
}

RunReport VideoRunner::StartReport(const std::string& input, const SourceInfo& source) const {
  RunReport report;
  report.input = AbsoluteInput(input);
  report.source = fmt::format("{}: {}", source.kind, source.description);
  report.model = config_.name;
  report.backend = estimator_->backend().Description();
  report.options = options_;
  report.load_s = load_s_;
  return report;
}

void VideoRunner::EvaluateRun(const std::string& input, bool can_be_read_again,
                              const std::filesystem::path& folder, RunReport& report) const {
  const Trajectory estimate = ReadTrajectory(folder / "trajectory.tum");
  const std::vector<PoseStep> steps = ReadPoseSteps(folder / "poses.csv");
  report.evaluation = Evaluate(
      *reference_, estimate, {.alignment = Alignment::kOrigin, .max_time_difference_s = options_.max_diff_s});
  std::optional<PicturesAgain> pictures;
  PictureOfPose picture_of;
  if (can_be_read_again) {
    pictures.emplace(input, options_.source);
    picture_of = [&pictures](size_t pose, Frame& picture) { pictures->Read(pose, picture); };
  }
  WriteRunReport({Title(input), *reference_, estimate, *report.evaluation}, steps, picture_of,
                 folder / "report");
  report.outputs["evaluation"] = (folder / "report" / "report.html").string();
}

RunReport VideoRunner::Run(const std::string& input, const std::filesystem::path& folder,
                           const std::atomic<bool>& stop, Progress* whole) {
  SourceOptions source_options = options_.source;
  source_options.stop = &stop;
  CheckRunFolder(folder, input, options_.overwrite);
  const std::unique_ptr<FrameSource> source = OpenInput(input, source_options);
  RunReport report = StartReport(input, source->info());
  const PipelineOptions pipeline{
      .overlap = options_.overlap, .batch = estimator_->video_batch(), .live = options_.live, .stop = &stop};
  std::optional<RunOutputs> outputs;  // once there is a pose: without one, earlier results stay
  std::exception_ptr failure;
  {
    const ScopedTimer timer(report.wall_s);
    Progress progress(Title(input), "frames", source->info().frame_count, options_.quiet || whole != nullptr);
    const PipelineResult result =
        RunPipeline(*source, *estimator_, pipeline, [&](const FrameRecord& frame, const TrackedPose& pose) {
          if (!outputs) {
            BeginRunFolder(folder, input, options_.overwrite);
            outputs.emplace(folder, RunOutputs::Options{.live = options_.live,
                                                        .has_confidence = config_.head.confidence,
                                                        .npz = options_.npz,
                                                        .colmap = options_.colmap});
          }
          outputs->Add(frame, pose);
          (whole != nullptr ? *whole : progress).Advance();
        });
    report.frames = result.frames;
    report.dropped = result.dropped;
    report.interrupted = result.interrupted;
    report.latency_frames = result.latency_frames;
    report.stages = result.times;
    failure = result.failure;
  }
  if (!outputs) {
    if (failure) std::rethrow_exception(failure);
    throw Error(
        fmt::format("{}: no frames{}", input,
                    report.interrupted ? " before it was stopped" : " (is it empty, or cut to nothing?)"));
  }
  outputs->Finish(Title(input), report);
  if (reference_) {
    const bool can_be_read_again = !failure && CanBeReadAgain(input);
    try {
      EvaluateRun(input, can_be_read_again, folder, report);
    } catch (const Error& error) {  // the trajectory is worth more than what it is compared with
      report.evaluation_error = error.what();
    } catch (const std::bad_alloc&) {
      report.evaluation_error = "out of memory";
    }
  }
  report.peak_rss_mb = PeakRssMb();
  if (model_sha256_.valid()) report.model_sha256 = model_sha256_.get();
  report.outputs["run"] = (folder / "run.json").string();
  if (failure) {
    LogWarning("{}: broke off after {} frames; what was read is in {}", input, report.frames,
               folder.string());
    std::rethrow_exception(failure);
  }
  FinishRunFolder(folder, RunReportJson(report));
  return report;
}

}  // namespace calfvo
