// SPDX-License-Identifier: Apache-2.0
#include "commands/run/video_runner.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "calfvo/error.h"
#include "commands/page/run_document.h"
#include "commands/run/evaluated_run.h"
#include "commands/run/input_state.h"
#include "commands/run/refine_outputs.h"
#include "commands/run/run_exports.h"
#include "commands/run/run_folder.h"
#include "commands/run/run_input.h"
#include "commands/run/run_outputs.h"
#include "commands/run/run_record.h"
#include "core/base/atomic_file.h"
#include "core/base/log.h"
#include "core/base/scoped_timer.h"
#include "core/base/sha256.h"
#include "io/video/mask_source.h"

namespace calfvo {
namespace {

double PeakRssMb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024e-6;
}

// A source whose first frame has been read: an input without frames is found before anything is written.
class SourceWithFirstFrame final : public FrameSource {
 public:
  explicit SourceWithFirstFrame(std::unique_ptr<FrameSource> source) : source_(std::move(source)) {
    has_first_ = source_->Next(first_);
  }

  bool empty() const { return !has_first_; }
  bool Advance(Frame& frame) override {
    is_at_first_ = std::exchange(has_first_, false);
    if (!is_at_first_) return source_->Advance(frame);
    frame.index = first_.index;
    frame.timestamp_ns = first_.timestamp_ns;
    return true;
  }
  void Read(Frame& frame) override {
    if (is_at_first_) {
      frame = std::move(first_);
    } else {
      source_->Read(frame);
    }
  }
  void Cancel() override { source_->Cancel(); }
  const SourceInfo& info() const override { return source_->info(); }

 private:
  const std::unique_ptr<FrameSource> source_;
  Frame first_;
  bool has_first_ = false;  // and Advance has not moved to it
  bool is_at_first_ = false;
};

// Shows every frame that is read to a function.
class ShownSource final : public FrameSource {
 public:
  ShownSource(FrameSource& source, std::function<void(const Frame&)> show)
      : source_(source), show_(std::move(show)) {}

  bool Advance(Frame& frame) override { return source_.Advance(frame); }
  void Read(Frame& frame) override {
    source_.Read(frame);
    show_(frame);
  }
  void Cancel() override { source_.Cancel(); }
  const SourceInfo& info() const override { return source_.info(); }

 private:
  FrameSource& source_;
  const std::function<void(const Frame&)> show_;
};

// `reference` with the clock of the run. A reference without one is matched by index.
Trajectory WithClock(const Trajectory& reference, const Trajectory& estimate) {
  if (reference.has_time) return reference;
  Trajectory timed = reference;
  const size_t count = std::min(reference.size(), estimate.size());
  timed.timestamps_ns.assign(estimate.timestamps_ns.begin(),
                             estimate.timestamps_ns.begin() + static_cast<ptrdiff_t>(count));
  timed.world_from_camera.resize(count);
  timed.covariances.clear();
  timed.has_time = true;
  return timed;
}

// The input's name without folders and extension, for titles.
std::string Title(const std::string& input) {
  std::string name = std::filesystem::path(InputPath(input)).stem().string();
  return name.empty() || name == "-" ? "camera path" : name;
}

}  // namespace

VideoRunner::VideoRunner(const RunOptions& options) : options_(options) {
  options_.source.Validate();
  if (options_.refine) {
    options_.refine->Validate();
    if (!CanRefine()) {
      throw Error(
          "--refine: this build has no geometric refinement; install libceres-dev and libopencv-dev, then "
          "build calfvo again");
    }
  }
  EvaluationOptions{.max_time_difference_s = options_.max_diff_s}.Validate();
  if (!options_.ground_truth.empty()) reference_ = ReadTrajectory(options_.ground_truth);
  if (options_.page && FindPageTemplate()) page_.emplace(ReadPageTemplate());
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
  estimator_ = std::make_unique<NetworkEstimator>(model.file, kind, options_.threads, options_.flip);
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
  if (differences.empty()) return !InputHasChanged(*run_json, InputState(input));
  if (options_.overwrite) return false;
  throw Error(
      fmt::format("{}: holds results of other settings ({}); use the same settings, another folder (-o), or "
                  "--overwrite to run it again",
                  folder.string(), differences));
}

RunOutputs::Options VideoRunner::OutputOptions() const {
  return {.live = options_.live,
          .has_confidence = config_.head.confidence,
          .refined = options_.refine.has_value(),
          .keep_poses = options_.keep_poses || reference_.has_value()};
}

RunPlan VideoRunner::Plan(const std::string& input, const std::filesystem::path& folder,
                          const RunAddition& addition) const {
  RunPlan plan{.folder = folder,
               .input = input,
               .files = RunOutputs::Files(OutputOptions()),
               .ground_truth = options_.ground_truth,
               .overwrite = options_.overwrite};
  const std::vector<std::string> exports = ExportFiles(options_.exports);
  plan.files.insert(plan.files.end(), exports.begin(), exports.end());
  const std::vector<std::string> report = reference_ ? RunReportFiles() : std::vector<std::string>();
  plan.files.insert(plan.files.end(), report.begin(), report.end());
  if (options_.refine) {
    const std::vector<std::string> refined = RefineOutputs::Files();
    plan.files.insert(plan.files.end(), refined.begin(), refined.end());
  }
  if (reference_) plan.files.emplace_back("groundtruth.tum");
  if (page_) plan.files.emplace_back("view.html");
  plan.files.insert(plan.files.end(), addition.files.begin(), addition.files.end());
  return plan;
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
                              const std::filesystem::path& folder, RunResult& result) const {
  const auto& [estimate, edges] = result.poses;
  RunReport& report = result.report;
  try {
    report.evaluation =
        Evaluate(*reference_, estimate,
                 {.alignment = Alignment::kOrigin, .max_time_difference_s = options_.max_diff_s});
    std::optional<ImagesAgain> images;
    ImageOfPose image_of;
    if (can_be_read_again) {
      images.emplace(input, options_.source);
      image_of = [&images](size_t pose, Frame& image) { images->Read(pose, image); };
    }
    WriteRunReport({Title(input), *reference_, estimate, *report.evaluation}, edges, image_of,
                   folder / "report");
    report.outputs["evaluation"] = (folder / "report" / "report.html").string();
  } catch (const Error& error) {  // the trajectory is worth more than its evaluation
    report.evaluation_error = error.what();
  } catch (const std::bad_alloc&) {
    report.evaluation_error = "out of memory";
  }
}

void VideoRunner::WriteGroundTruth(const std::filesystem::path& folder, const RunResult& result) const {
  const Trajectory truth = WithClock(*reference_, result.poses.trajectory);
  if (!truth.empty()) WriteTrajectory(truth, folder / "groundtruth.tum", TrajectoryFormat::kTum);
}

void VideoRunner::WritePage(const std::string& input, const std::filesystem::path& folder,
                            const KeyFrames& key_frames, RunReport& report) const {
  try {
    const std::string run = RunDocumentJson(folder, RunReportJson(report), Title(input));
    WriteFileAtomically(folder / "view.html",
                        page_->PageOf(run, key_frames.size() > 0 ? key_frames.Json() : ""));
    report.outputs["view"] = (folder / "view.html").string();
  } catch (const Error& error) {  // the trajectory is worth more than its page
    LogWarning("{}: has no view.html: {}", folder.string(), error.what());
  }
}

RunResult VideoRunner::Run(const std::string& input, const std::filesystem::path& folder,
                           const std::atomic<bool>& stop, Progress* whole, const RunAddition& addition,
                           const RunObserver& observer) {
  const auto open_folder = [](const RunPlan& plan) { return std::make_unique<RunFolder>(plan); };
  return *RunIn(open_folder, input, folder, stop, whole, addition, observer);
}

std::optional<RunResult> VideoRunner::RunUnlessDone(const std::string& input,
                                                    const std::filesystem::path& folder,
                                                    const std::atomic<bool>& stop) {
  if (IsInUse(folder)) throw FolderInUse(folder);
  const auto is_done = [&] { return IsDone(input, folder); };
  if (is_done()) return {};
  const auto open_folder = [&](const RunPlan& plan) { return RunFolder::OpenUnless(is_done, plan); };
  return RunIn(open_folder, input, folder, stop, nullptr, {}, {});
}

std::optional<RunResult> VideoRunner::RunIn(const OpenFolder& open_folder, const std::string& input,
                                            const std::filesystem::path& folder,
                                            const std::atomic<bool>& stop, Progress* whole,
                                            const RunAddition& addition, const RunObserver& observer) {
  CheckExports(input, options_.exports);
  const RunPlan plan = Plan(input, folder, addition);
  CheckRunFolder(plan);
  const std::string input_state = InputState(input);
  const std::string mask = addition.mask.empty() ? options_.mask : addition.mask;
  std::optional<MaskSource> masks;
  if (!mask.empty()) masks.emplace(mask);
  SourceOptions source_options = options_.source;
  source_options.stop = &stop;
  if (addition.end_s) source_options.end_s = addition.end_s;
  SourceWithFirstFrame source(OpenInput(input, source_options));
  if (source.empty()) {
    throw Error(fmt::format(
        "{}: no frames{}", input,
        stop                            ? " before it was stopped"
        : options_.source.start_s > 0.0 ? fmt::format(" after --start {} s", options_.source.start_s)
        : options_.source.end_s         ? fmt::format(" before --end {} s", *options_.source.end_s)
                                        : " (is it empty?)"));
  }
  const std::unique_ptr<RunFolder> run_folder = open_folder(plan);
  if (!run_folder) return {};
  RunOutputs outputs(folder, OutputOptions());
  RunResult run{.report = StartReport(input, source.info()), .poses = {}};
  RunReport& report = run.report;
  report.input_state = input_state;
  report.options.source.end_s = source_options.end_s;
  report.options.mask = mask;
  std::exception_ptr failure;
  std::optional<RefineOutputs> refine_outputs;
  std::optional<Refiner> refiner;
  if (options_.refine) {
    refine_outputs.emplace(folder);
    refiner.emplace(*options_.refine, options_.live, estimator_->step_correlation(),
                    [&](const RefinedPose& refined) {
                      outputs.Add(refined.frame, refined.pose,
                                  0.5 * (refined.rotation_weight + refined.translation_weight));
                      refine_outputs->Add(refined);
                    });
  }
  KeyFrames key_frames;
  ShownSource shown(source, [&](const Frame& frame) {
    if (page_) key_frames.Add(frame);
    if (observer.image) observer.image(frame);
  });
  if (observer.start) observer.start(Title(input), config_.head.confidence, source.info().frame_count);
  {
    const ScopedTimer timer(report.wall_s);
    Progress progress(Title(input), "frames", source.info().frame_count, options_.quiet || whole != nullptr);
    const PipelineResult result = RunPipeline(shown, *estimator_,
                                              {.overlap = options_.overlap,
                                               .batch = estimator_->video_batch(),
                                               .live = options_.live,
                                               .gray_side = refiner ? kTrackedSide : 0,
                                               .masks = masks ? &*masks : nullptr,
                                               .stop = &stop},
                                              [&](const FrameRecord& frame, const TrackedPose& pose) {
                                                if (refiner) {
                                                  refiner->Add(frame, pose);
                                                } else {
                                                  outputs.Add(frame, pose);
                                                }
                                                if (observer.pose) observer.pose(frame, pose);
                                                (whole != nullptr ? *whole : progress).Advance();
                                              });
    if (refiner) report.refine = refiner->Finish();
    // Frames that --stride skips have masks, too.
    if (masks && !result.failure && !result.interrupted && !source_options.end_s &&
        masks->HasMoreAfter(source_options.stride - 1)) {
      report.refine->warnings.push_back(fmt::format(
          "{} has more masks than the input has frames; expected one per frame", options_.refine->mask));
    }
    report.frames = result.frames;
    report.dropped = result.dropped;
    report.interrupted = result.interrupted;
    report.latency_frames = result.latency_frames;
    report.stages = result.times;
    failure = result.failure;
  }
  outputs.Finish(Title(input), report);
  if (refine_outputs) {
    refine_outputs->Finish(Title(input), *report.refine);
    for (const std::string& warning : report.refine->warnings) LogWarning("{}: {}", input, warning);
    report.outputs["map"] = (folder / "map.png").string();
    report.outputs["camera"] = (folder / "camera.json").string();
    report.outputs["points"] = (folder / "points.ply").string();
  }
  run.poses = std::move(outputs.poses());
  if (reference_) EvaluateRun(input, !failure && CanBeReadAgain(input), folder, run);
  if (reference_) WriteGroundTruth(folder, run);
  report.peak_rss_mb = PeakRssMb();
  if (model_sha256_.valid()) report.model_sha256 = model_sha256_.get();
  report.outputs["run"] = (folder / "run.json").string();
  if (!failure && addition.write) addition.write(run);
  if (page_) WritePage(input, folder, key_frames, report);
  if (failure) {
    LogWarning("{}: broke off after {} frames; their results are in {}", input, report.frames,
               folder.string());
    std::rethrow_exception(failure);
  }
  report.outputs.merge(WriteRunExports({.input = input,
                                        .source = options_.source,
                                        .width = report.width,
                                        .height = report.height,
                                        .refined = report.refine.has_value()},
                                       folder, options_.exports));
  report.files = run_folder->Written();
  run_folder->Finish(RunReportJson(report));
  return run;
}

}  // namespace calfvo
