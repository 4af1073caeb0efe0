// SPDX-License-Identifier: Apache-2.0
#include "loop/run.h"

#include <ATen/Context.h>
#include <c10/core/DeviceGuard.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "calfvo/error.h"
#include "core/base/atomic_file.h"
#include "core/base/file_lock.h"
#include "core/base/log.h"
#include "core/base/progress.h"
#include "loop/curves_page.h"
#include "loop/first_weights.h"
#include "loop/held_out.h"
#include "loop/memory_check.h"
#include "loop/train_log.h"
#include "loop/train_step.h"
#include "loop/train_streams.h"

namespace calfvo::train {
namespace {

// A loss this many times that of the run's beginning will not come back.
constexpr double kExplosion = 10.0;

using Clock = std::chrono::steady_clock;

TrainNetwork NetworkOn(const TrainOptions& options, torch::Device device) {
  TrainNetwork network = MakeNetwork(options);
  network->to(device);
  return network;
}

// The term of image motion is a mean over procedural windows, of which processes may have unequal numbers.
LossOptions LossOf(const TrainOptions& options, const Processes& processes) {
  LossOptions loss = options.loss;
  loss.motion_weight *= ProceduralWeight(options, processes);
  return loss;
}

// The cause; the lines after it are for developers of LibTorch.
std::string FirstLine(const c10::Error& error) {
  const std::string what = error.what_without_backtrace();
  return what.substr(0, what.find('\n'));
}

// The last part of a path that may end with a slash or be ".".
std::string NameOf(const std::filesystem::path& folder) {
  const std::filesystem::path path = (std::filesystem::absolute(folder) / "").lexically_normal();
  return path.parent_path().filename().string();
}

class Run {
 public:
  Run(const RunRequest& request, Processes& processes, torch::Device device,
      const std::function<bool(int64_t)>& should_stop)
      : options_(request.config.options),
        folder_(request.folder),
        processes_(processes),
        should_stop_(should_stop),
        schedule_(options_.schedule),
        checkpoints_(request.folder),
        step_(NetworkOn(options_, device),
              {.loss = LossOf(options_, processes),
               .optimizer = options_.optimizer,
               .cuda_graph = options_.loop.cuda_graph && device.is_cuda(),
               .token_cache_bytes = static_cast<int64_t>(options_.loop.cache_tokens_gb * 1e9)},
              processes),
        held_out_(options_, device) {
    if (request.resume) Resume(request.another_seed);
    // Only rank 0 writes; the others keep their log in memory.
    log_.emplace(processes.first() ? folder_ / "log.jsonl" : "", state_.steps_done);
    if (!log_->held_out().empty()) evaluated_step_ = log_->held_out().back().step;
    CompareHeldOut();
    elapsed_before_s_ = state_.elapsed_s;
    stream_ = OpenTrainStream(
        options_, processes, device, [this] { return should_stop_(state_.steps_done); }, request.quiet);
    progress_ = std::make_unique<Progress>("training", "steps", options_.schedule.steps,
                                           request.quiet || !processes.first());
    progress_->Advance(state_.steps_done);
  }

  RunResult Go() {
    try {
      return Train();
    } catch (const c10::Error& error) {
      throw Failure(FirstLine(error));
    }
  }

 private:
  RunResult Train() {
    if (!stream_ || !CompleteEvaluation()) return {state_, false};
    while (!IsOver()) {
      TakeStep();
      const bool stop = should_stop_(state_.steps_done);
      const bool stops_alone = stop && processes_.size() == 1;
      if ((stops_alone || IsSyncStep()) && Synchronize(stop)) return {state_, false};
    }
    const bool finished = Finish();
    return {state_, finished};
  }

  void Resume(bool another_seed) {
    const auto newest = checkpoints_.Newest();
    if (!newest) return;
    state_ = LoadCheckpoint(*newest, options_.loop.seed, another_seed, options_.model, step_.parameters(),
                            step_.optimizer());
  }

  // Runs the evaluation that the earlier part of the run broke off, if any. False if it is to stop again.
  bool CompleteEvaluation() {
    const bool is_due = IsEvaluationStep() && !IsEvaluated() && !IsOver();
    return !is_due || Evaluate() || processes_.size() > 1;
  }

  void TakeStep() {
    rate_ = schedule_.LearningRate(state_.steps_done, state_.elapsed_s);
    step_.Take(NextBatch(), state_.steps_done, rate_);
    ++state_.steps_done;
    progress_->Advance();
  }

  // For failures of LibTorch, the device or the data. The device runs behind, so that the failure may belong
  // to an earlier step.
  Error Failure(const std::string& what) const {
    return Error(
        fmt::format("training failed at step {} or shortly before: {}. {}. If it fails there again, "
                    "--set loop.seed=N lets it see other windows",
                    state_.steps_done, what, HowToGoOn()));
  }

  // Forgets the best score if it was measured on other held-out windows.
  void CompareHeldOut() {
    if (held_out_.empty()) return;
    const std::string fingerprint = held_out_.Fingerprint();
    if (state_.best_step >= 0 && !state_.held_out.empty() && state_.held_out != fingerprint) {
      if (processes_.first()) {
        LogWarning(
            "the held-out windows are others than those of the best score so far, {:.4f} after {} steps; the "
            "best is found anew and will replace model.safetensors",
            state_.best_score, state_.best_step);
      }
      state_.best_score = RunState{}.best_score;
      state_.best_step = RunState{}.best_step;
      evaluated_step_ = -1;
    }
    state_.held_out = fingerprint;
  }

  WindowBatch NextBatch() {
    try {
      return stream_->At(state_.steps_done);
    } catch (const Error& error) {
      throw Failure(error.what());
    }
  }

  std::string HowToGoOn() const {
    const auto last = checkpoints_.Newest();
    return last ? fmt::format("The last good checkpoint is {}; --resume goes on from there", last->string())
                : "No checkpoint has been written yet";
  }

  bool IsOver() const { return schedule_.Progress(state_.steps_done, state_.elapsed_s) >= 1.0; }

  bool IsEvaluationStep() const {
    return state_.steps_done > 0 && state_.steps_done % options_.loop.evaluate_every == 0;
  }

  // By this part of the run or one before.
  bool IsEvaluated() const { return held_out_.empty() || evaluated_step_ == state_.steps_done; }

  // Between these steps nothing waits for the device, and processes exchange gradients only.
  bool IsSyncStep() const {
    const LoopOptions& loop = options_.loop;
    const int64_t done = state_.steps_done;
    return done % loop.log_every == 0 || IsEvaluationStep() || done % loop.checkpoint_every == 0 ||
           done == options_.schedule.steps;
  }

  // Checks, logs, evaluates and saves what is due. Returns whether to stop.
  bool Synchronize(bool stop) {
    const StepMeans means = step_.ReadMeans();
    CheckLoss(means);
    state_.elapsed_s = elapsed_before_s_ + std::chrono::duration<double>(Clock::now() - start_).count();
    int64_t votes = stop ? 1 : 0;
    processes_.Agree(state_.elapsed_s, votes);
    const bool ends = IsOver();
    if (state_.steps_done % options_.loop.log_every == 0 || ends) LogSteps(means);
    // Several processes have agreed to go on; they are asked again at the next synchronization.
    if (IsEvaluationStep() && !ends && !Evaluate() && processes_.size() == 1) votes = 1;
    if (state_.steps_done % options_.loop.checkpoint_every == 0 || votes > 0) Save();
    return votes > 0 && !ends;
  }

  Error Divergence(const std::string& what) const {
    return Error(
        fmt::format("training diverged at step {}: {}. {}. Try a smaller schedule.learning_rate, a longer "
                    "schedule.warmup_steps or a smaller optimizer.clip_norm",
                    state_.steps_done, what, HowToGoOn()));
  }

  void CheckLoss(const StepMeans& means) const {
    if (means.skipped * 2 > means.steps) {
      throw Divergence(
          fmt::format("gradients of {} of the last {} steps were not finite", means.skipped, means.steps));
    }
    if (means.skipped > 0) {
      LogWarning("step {}: {} of the last {} updates were left out, their gradients were not finite",
                 state_.steps_done, means.skipped, means.steps);
      return;  // the loss of those steps may be NaN
    }
    const double first = log_->train().empty() ? means.loss : log_->train().front().loss;
    if (!std::isfinite(means.loss) || means.loss > kExplosion * std::max(std::abs(first), 1.0)) {
      throw Divergence(fmt::format("the loss is {}, after {} at the beginning", means.loss, first));
    }
  }

  void LogSteps(const StepMeans& means) {
    const double now_s = state_.elapsed_s;
    const double seconds = std::max(now_s - logged_s_.value_or(elapsed_before_s_), 1e-9);
    log_->Add(
        TrainRecord{.step = state_.steps_done,
                    .elapsed_s = now_s,
                    .learning_rate = rate_,
                    .loss = means.loss,
                    .rotation_deg = means.rotation_deg,
                    .translation_m = means.translation_m,
                    .motion = means.motion,
                    .gradient_norm = means.gradient_norm,
                    .windows_per_s =
                        static_cast<double>(means.steps * options_.loop.Windows(processes_.size())) / seconds,
                    .skipped = means.skipped});
    logged_s_ = now_s;
    step_.ResetMeans();
  }

  // Evaluates this step unless that has been done. Returns false, and logs nothing, if a request to stop
  // broke it off.
  bool Evaluate() {
    if (!processes_.first()) return true;
    if (IsEvaluated() && !held_out_.empty() && exists(folder_ / "curves.html"))
      return true;  // it has examples
    if (!IsEvaluated() && !EvaluateHeldOut()) return false;
    if (state_.best_step == state_.steps_done) Save();
    WriteCurvesPage(*log_, held_out_.examples(), fmt::format("calfvo training: {}", NameOf(folder_)),
                    folder_ / "curves.html");
    return true;
  }

  bool EvaluateHeldOut() {
    const AveragedWeights averaged(step_.parameters(), step_.optimizer());
    auto record = held_out_.Evaluate(*step_.network(), [this] { return should_stop_(state_.steps_done); });
    if (!record) return false;
    evaluated_step_ = state_.steps_done;
    record->step = state_.steps_done;
    record->elapsed_s = state_.elapsed_s;
    log_->Add(*record);
    LogInfo("step {}: held-out score {:.4f}", record->step, record->score);
    if (record->score < state_.best_score) {
      state_.best_score = record->score;
      state_.best_step = state_.steps_done;
      ExportModel(*step_.network(), options_, folder_ / "model.safetensors");
    }
    return true;
  }

  void Save() {
    if (!processes_.first()) return;
    SaveCheckpoint(checkpoints_.PathAt(state_.steps_done), state_, options_.loop.seed, options_.model,
                   step_.parameters(), step_.optimizer());
    checkpoints_.Prune(options_.loop.keep_checkpoints, state_.best_step);
  }

  // Returns whether the run is complete; otherwise --resume does the rest.
  bool Finish() {
    const bool evaluated = Evaluate();
    Save();
    if (!evaluated || !processes_.first()) return evaluated;
    const AveragedWeights averaged(step_.parameters(), step_.optimizer());
    ExportModel(*step_.network(), options_, folder_ / "model-last.safetensors");
    if (held_out_.empty()) ExportModel(*step_.network(), options_, folder_ / "model.safetensors");
    return true;
  }

  const TrainOptions options_;
  const std::filesystem::path folder_;
  Processes& processes_;
  const std::function<bool(int64_t)>& should_stop_;
  const Schedule schedule_;
  const CheckpointFolder checkpoints_;
  TrainStep step_;
  HeldOut held_out_;
  std::optional<TrainLog> log_;
  std::unique_ptr<WindowStream> stream_;
  std::unique_ptr<Progress> progress_;
  RunState state_;
  int64_t evaluated_step_ = -1;  // steps done at the last evaluation
  double rate_ = 0.0;
  double elapsed_before_s_ = 0.0;  // in earlier parts of the run
  std::optional<double> logged_s_;
  const Clock::time_point start_ = Clock::now();
};

// Throws Error unless the folder is this run's to write to.
void CheckFolder(const RunRequest& request) {
  if (request.resume) return;
  if (CheckpointFolder(request.folder).Newest()) {
    throw Error(fmt::format("{}: already holds a run; continue it with --resume, or choose another folder",
                            request.folder.string()));
  }
  if (const auto model = request.folder / "model.safetensors"; exists(model)) {
    throw Error(
        fmt::format("{}: already exists, but not as part of a run; choose another folder", model.string()));
  }
}

}  // namespace

torch::Device ChooseDevice(DeviceChoice choice, const ProcessPlace& place) {
  const bool use_cuda =
      choice == DeviceChoice::kCuda || (choice == DeviceChoice::kAuto && torch::cuda::is_available());
  if (!use_cuda) return torch::Device(torch::kCPU);
  if (!torch::cuda::is_available()) throw Error("loop.device is cuda, but no GPU can be used");
  return torch::Device(torch::kCUDA, static_cast<torch::DeviceIndex>(place.local_rank));
}

RunResult TrainRun(const RunRequest& request, Processes& processes, torch::Device device,
                   const std::function<bool(int64_t)>& should_stop) {
  CheckMemory(request.config.options, device.is_cpu(), MachineMemory());
  std::optional<FileLock> lock;  // keeps other runs out
  if (processes.first()) {
    MakeFolder(request.folder);
    lock.emplace(request.folder);
    if (lock->is_refused()) {
      throw Error(request.folder.string() +
                  ": another run is writing there; wait for its end, or choose another folder");
    }
    CheckFolder(request);
  }
  // The configuration of an older run is replaced only once the new one has proved to fit its checkpoint;
  // otherwise --resume alone would no longer work.
  const bool replaces = CheckpointFolder(request.folder).Newest().has_value();
  const auto write_config = [&] { WriteFileAtomically(request.folder / "config.toml", request.config.text); };
  if (processes.first() && !replaces) write_config();
  try {
    const c10::DeviceGuard guard(device);  // streams and graphs are made on the current device
    // Shapes stay the same, so that it pays to time the algorithms for convolutions once.
    if (device.is_cuda()) at::globalContext().setBenchmarkCuDNN(true);
    Run run(request, processes, device, should_stop);
    if (processes.first() && replaces) write_config();
    return run.Go();
  } catch (const c10::Error& error) {  // before the first step; Go reports the others
    throw Error(
        fmt::format("training cannot begin on {}: {}. If memory is short, free some, or make the model, "
                    "the batch or loop.cache_tokens_gb smaller",
                    device.str(), FirstLine(error)));
  }
}

}  // namespace calfvo::train
