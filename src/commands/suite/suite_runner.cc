// SPDX-License-Identifier: Apache-2.0
#include "commands/suite/suite_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "calfvo/error.h"
#include "commands/run/evaluated_run.h"
#include "commands/run/run_input.h"
#include "commands/run/video_runner.h"
#include "commands/suite/choose_sequences.h"
#include "core/base/atomic_file.h"
#include "core/base/log.h"
#include "core/base/progress.h"
#include "core/base/sha256.h"
#include "core/base/temporary_error.h"
#include "eval/metrics/table.h"
#include "eval/tables/path_scores.h"
#include "eval/tables/pose_calibration.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;

std::string Label(const FoundSequence& found) {
  return fmt::format("{}/{}", found.kind, found.name);
}

Trajectory TruePath(const Sequence& sequence) {
  Trajectory path;
  for (const SequenceFrame& frame : sequence.frames()) {
    if (!frame.world_from_camera) continue;
    path.timestamps_ns.push_back(frame.timestamp_ns);
    path.world_from_camera.push_back(*frame.world_from_camera);
  }
  return path;
}

// Identifies a sequence by the names, sizes and times of its frames, by its true poses and by whether masks
// are used, wherever it lies.
std::string InputHash(const Sequence& sequence, bool has_masks) {
  Sha256 hash;
  if (has_masks) hash.Add("masks\n");
  for (const SequenceFrame& frame : sequence.frames()) {
    hash.Add(fmt::format("{}\n{}\n", frame.image.substr(frame.image.rfind('/') + 1), frame.timestamp_ns));
    if (!frame.world_from_camera) continue;
    const Rigid3& pose = *frame.world_from_camera;
    for (const double value : pose.rotation.coeffs()) hash.Add(fmt::format("{} ", value));
    for (const double value : pose.translation) hash.Add(fmt::format("{} ", value));
  }
  return hash.Finish();
}

// Of the network's own path, which refinement leaves beside its own.
std::optional<PathScores> NetworkScores(const Trajectory& reference, const RunResult& run,
                                        const fs::path& folder) {
  if (!run.report.options.refine) return {};
  return ScorePath(reference, ReadTrajectory(folder / "network.tum", TrajectoryFormat::kTum));
}

std::optional<CameraIntrinsics> RefinedCamera(const RunReport& report) {
  if (!report.refine || report.refine->camera.origin == CameraOrigin::kGuess) return {};
  const Camera& camera = report.refine->camera;
  return CameraIntrinsics{camera.focal_px, camera.focal_px, camera.principal_point.x(),
                          camera.principal_point.y()};
}

// Evaluates a run and, if asked to, writes its report.
SuiteResult EvaluateSequence(const Sequence& sequence, const RunResult& run, const fs::path& folder,
                             bool draws) {
  const RunReport& report = run.report;
  const auto& [estimate, edges] = run.poses;
  const Trajectory reference = TruePath(sequence);
  if (estimate.size() != sequence.frames().size()) {
    throw Error(fmt::format("{}: has {} poses for {} frames", folder.string(), estimate.size(),
                            sequence.frames().size()));
  }
  WriteTrajectory(reference, folder / "groundtruth.tum", TrajectoryFormat::kTum);
  if (draws) {
    const Evaluation evaluation = Evaluate(reference, estimate, {.alignment = Alignment::kOrigin});
    WriteRunReport(
        {sequence.name(), reference, estimate, evaluation}, edges,
        [&](size_t pose, Frame& image) { sequence.Read(static_cast<int64_t>(pose), image); },
        folder / "report");
  }
  std::vector<std::optional<Rigid3>> truth;
  for (const SequenceFrame& frame : sequence.frames()) truth.push_back(frame.world_from_camera);
  return {.model = report.model,
          .model_sha256 = report.model_sha256,
          .backend = report.backend,
          .overlap = report.options.overlap,
          .flip = report.options.flip,
          .live = report.options.live,
          .refine = report.options.refine.has_value(),
          .frames = report.frames,
          .poses = report.poses,
          .wall_s = report.wall_s,
          .estimates_per_pair = EstimatesPerPair(edges),
          .scores = ScorePath(reference, estimate),
          .network = NetworkScores(reference, run, folder),
          .camera = RefinedCamera(report),
          .zero = ScorePath(reference, ZeroMotion(reference)),
          .constant = ScorePath(reference, ConstantMotion(reference)),
          .calibration = CalibrateEdges(truth, estimate.world_from_camera, edges),
          .pose_calibration = CalibratePoses(truth, estimate, edges)};
}

// Where a sequence is cut for its invalid poses, in seconds after its first frame.
std::optional<double> EndOf(const FoundSequence& found, InvalidPoses invalid_poses) {
  if (invalid_poses != InvalidPoses::kTruncate) return {};
  const auto sequence = OpenSequence(found);
  const auto count = static_cast<size_t>(FramesUntilInvalid(*sequence));
  if (count == sequence->frames().size()) return {};
  const auto time = [&](size_t i) { return static_cast<double>(sequence->frames()[i].timestamp_ns); };
  return 1e-9 * (0.5 * (time(count - 1) + time(count)) - time(0));
}

// The share of moving objects in a clip of `calfvo synth`; nothing for other sequences.
std::optional<double> MoversOf(const fs::path& folder) {
  constexpr uintmax_t kMaxBytes = 1 << 20;
  const fs::path path = folder / "synth.json";
  std::error_code not_there;
  if (const uintmax_t bytes = fs::file_size(path, not_there); not_there || bytes > kMaxBytes) return {};
  std::ifstream stream(path);
  const auto json = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("program", nlohmann::json()) != "calfvo synth") return {};
  const auto movers = json.find("movers");
  if (movers == json.end()) return 0.0;
  if (!movers->is_number() || !(*movers >= 0.0 && *movers <= 1.0)) return {};
  return movers->get<double>();
}

// The folder of a sequence's masks; empty where it has none.
std::string MaskOf(const fs::path& folder) {
  std::error_code not_there;
  return fs::is_directory(folder / "mask", not_there) ? (folder / "mask").string() : "";
}

// One of the runs over all sequences.
struct Variant {
  int overlap = 0;
  bool masks = false;
};

class Suite {
 public:
  Suite(const SuiteOptions& options, const std::atomic<bool>& stop) : options_(options), stop_(stop) {
    std::set<int> overlaps = {options.run.overlap};
    variants_ = {{options.run.overlap, options.masks}};
    for (const int overlap : options.more_overlaps) {
      if (overlaps.insert(overlap).second) variants_.push_back({overlap, options.masks});
    }
    if (options.masks && options.without_masks_too) variants_.push_back({options.run.overlap, false});
    const ChosenModel model = OpenModel(options.run.model);
    for (const int overlap : overlaps) TrackerOptions{.overlap = overlap}.Validate(model.file.config.window);
    settings_.model = model.file.config.name;
    if (!model.path.empty()) settings_.model_sha256 = Sha256OfFile(model.path);
    const BackendKind kind = ChooseBackend(options.run.backend, options.run.precision);
    settings_.backend = MakeBackend(kind, options.run.threads)->Description();
    settings_.flip = options.run.flip;
    settings_.live = options.run.live;
    settings_.refine = options.run.refine.has_value();
    settings_.masks = options.masks;
    settings_.design = DesignOf(model.file.config);
  }

  std::vector<SuiteSequence> Run() {
    Plan();
    int64_t frames = 0;
    for (const SuiteSequence& sequence : sequences_) {
      for (const Variant& variant : variants_) frames += IsMissing(sequence, variant) ? sequence.frames : 0;
    }
    Progress progress("suite", "frames", frames, options_.run.quiet);
    for (const Variant& variant : variants_) RunVariant(variant, progress);
    return std::move(sequences_);
  }

 private:
  // Without the masks that the other variants use.
  bool IsUnmasked(const Variant& variant) const { return variant.masks != options_.masks; }

  fs::path Folder(const FoundSequence& found, const Variant& variant) const {
    const fs::path folder = options_.output / found.kind / found.name;
    if (IsUnmasked(variant)) return folder / "without-masks";
    if (variant.overlap == options_.run.overlap) return folder;
    return folder / fmt::format("overlap-{}", variant.overlap);
  }

  bool IsWanted(const SuiteSequence& sequence, const Variant& variant) const {
    return sequence.error.empty() && (!IsUnmasked(variant) || (sequence.movers && !sequence.mask.empty()));
  }

  bool IsMissing(const SuiteSequence& sequence, const Variant& variant) const {
    if (!IsWanted(sequence, variant)) return false;
    return IsUnmasked(variant) ? !sequence.without_masks : !sequence.results.contains(variant.overlap);
  }

  void Keep(const Variant& variant, SuiteResult result, SuiteSequence& sequence) const {
    if (IsUnmasked(variant)) {
      sequence.without_masks = std::move(result);
    } else {
      sequence.results.emplace(variant.overlap, std::move(result));
    }
  }

  // Reads the finished results and lists the remaining work.
  void Plan() {
    for (const auto& [found, invalid_poses] : ChooseSequences(options_)) {
      SuiteSequence sequence{.found = found};
      if (!Open(sequence, invalid_poses)) continue;
      invalid_poses_.push_back(invalid_poses);
      for (const Variant& variant : variants_) {
        if (IsWanted(sequence, variant)) ReadDone(variant, sequence);
      }
      sequences_.push_back(std::move(sequence));
    }
  }

  void ReadDone(const Variant& variant, SuiteSequence& sequence) const {
    const fs::path path = Folder(sequence.found, variant) / "result.json";
    std::error_code error;
    const bool exists = fs::exists(path, error);
    if (error) throw Error(fmt::format("{}: cannot be read: {}", path.string(), error.message()));
    if (!exists) return;
    SuiteResult result = ReadSuiteResult(path);
    SuiteResult wanted = settings_;
    wanted.overlap = variant.overlap;
    wanted.masks = variant.masks;
    if (!HaveSameSettings(result, wanted)) {
      throw Error(fmt::format(
          "{}: has other settings ({}; now {}); use the same settings or another folder, or remove this file",
          path.string(), SettingsText(result), SettingsText(wanted)));
    }
    if (result.input_sha256 != sequence.input_sha256) {
      throw Error(fmt::format(
          "{}: is the result of another sequence of this name ({}; now {}); use another folder, or "
          "remove this file",
          path.string(), result.input, sequence.found.path.string()));
    }
    Keep(variant, std::move(result), sequence);
  }

  // False for a sequence without ground truth, and for one that is dropped.
  bool Open(SuiteSequence& sequence, InvalidPoses invalid_poses) const {
    try {
      const auto source = WithoutInvalidPoses(OpenSequence(sequence.found), invalid_poses);
      if (!source) {
        LogWarning("{}: dropped: some of its poses are invalid", Label(sequence.found));
        return false;
      }
      sequence.frames = static_cast<int64_t>(source->frames().size());
      if (options_.masks) sequence.mask = MaskOf(sequence.found.path);
      sequence.input_sha256 = InputHash(*source, !sequence.mask.empty());
      sequence.intrinsics = source->intrinsics();
      sequence.movers = MoversOf(sequence.found.path);
      if (TruePath(*source).size() >= 2) return true;
      LogWarning("{}: skipped: no ground-truth poses", Label(sequence.found));
      return false;
    } catch (const Error& error) {
      sequence.error = error.what();
      return true;
    }
  }

  void RunVariant(const Variant& variant, Progress& progress) {
    RunOptions run = options_.run;
    run.overlap = variant.overlap;
    run.keep_poses = true;
    run.overwrite = true;                 // without result.json a run is unfinished; the data may have moved
    std::unique_ptr<VideoRunner> runner;  // made when the first sequence needs it
    for (size_t i = 0; i < sequences_.size() && !stop_; ++i) {
      SuiteSequence& sequence = sequences_[i];
      if (!IsMissing(sequence, variant)) continue;
      if (!runner) runner = std::make_unique<VideoRunner>(run);
      const std::string label =
          fmt::format("[{}/{}] {}, overlap {}{}", i + 1, sequences_.size(), Label(sequence.found),
                      variant.overlap, IsUnmasked(variant) ? ", without masks" : "");
      try {
        const auto result = RunSequence(*runner, i, variant, progress);
        if (!result) return;
        progress.Print(fmt::format("{}: {} frames, {:.1f} frames/s, t_rel {} m, r_rel {}°", label,
                                   result->frames, static_cast<double>(result->frames) / result->wall_s,
                                   FormatValue(result->scores.t_rel), FormatValue(result->scores.r_rel)));
        Keep(variant, *result, sequence);
      } catch (const Error& error) {
        if (stop_) return;
        sequence.error = error.what();
        sequence.may_succeed_later = dynamic_cast<const TemporaryError*>(&error) != nullptr;
        progress.Print(fmt::format("{}: failed", label));
      }
    }
  }

  // Nothing if stopped.
  std::optional<SuiteResult> RunSequence(VideoRunner& runner, size_t index, const Variant& variant,
                                         Progress& progress) const {
    const SuiteSequence& sequence = sequences_[index];
    const FoundSequence& found = sequence.found;
    const fs::path folder = Folder(found, variant);
    const auto open = [&] { return WithoutInvalidPoses(OpenSequence(found), invalid_poses_[index]); };
    const std::string input = std::string(kDatasetPrefix) + found.path.string();
    std::optional<SuiteResult> result;
    RunAddition evaluation{.files = RunReportFiles(),
                           .write =
                               [&](const RunResult& run) {
                                 if (run.report.interrupted) return;
                                 const bool draws = folder == Folder(found, variants_.front());
                                 result = EvaluateSequence(*open(), run, folder, draws);
                               },
                           .end_s = EndOf(found, invalid_poses_[index]),
                           .mask = variant.masks ? sequence.mask : ""};
    evaluation.files.emplace_back("groundtruth.tum");
    runner.Run(input, folder, stop_, &progress, evaluation);
    if (!result) return {};
    result->masks = variant.masks;
    result->design = settings_.design;
    result->input = fs::absolute(found.path).string();
    result->input_sha256 = sequence.input_sha256;
    WriteSuiteResult(*result, folder / "result.json");
    return result;
  }

  const SuiteOptions& options_;
  const std::atomic<bool>& stop_;
  std::vector<Variant> variants_;  // the first is that of the options
  SuiteResult settings_;           // of the first, with the model's design
  std::vector<SuiteSequence> sequences_;
  std::vector<InvalidPoses> invalid_poses_;  // of each
};

}  // namespace

std::vector<SuiteSequence> RunSuite(const SuiteOptions& options, const std::atomic<bool>& stop) {
  return Suite(options, stop).Run();
}

}  // namespace calfvo
