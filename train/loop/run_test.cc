// SPDX-License-Identifier: Apache-2.0
#include "loop/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/atomic_file.h"
#include "core/base/testing.h"
#include "loop/memory_check.h"
#include "loop/test_config.h"
#include "loop/test_recording.h"
#include "nn/architecture/model_file.h"
#include "nn/weights/safetensors_writer.h"

namespace calfvo::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

RunRequest Blink(const std::filesystem::path& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> assignments = BlinkAssignments();
  assignments.insert(assignments.end(), more.begin(), more.end());
  return {.config = ReadTrainConfig(TinyConfigFile(), assignments), .folder = folder, .quiet = true};
}

RunResult Train(const RunRequest& request, int64_t stop_at = -1) {
  Processes alone({}, torch::kCPU);
  return TrainRun(request, alone, torch::kCPU, [stop_at](int64_t steps) { return steps == stop_at; });
}

// The network of a checkpoint; its metadata also has the elapsed time.
std::string TensorsOf(const std::filesystem::path& checkpoint) {
  const auto file = OpenWeights(checkpoint);
  std::string bytes;
  for (const std::string& name : file->names()) {
    const auto view = file->Get(name).bytes();
    bytes.append(reinterpret_cast<const char*>(view.data()), view.size());
  }
  return bytes;
}

TEST(TrainRun, ResumedRunsEqualStraightOnes) {
  const TempFolder folder;
  const RunResult straight = Train(Blink(folder.path() / "a"));
  EXPECT_TRUE(straight.finished);
  EXPECT_EQ(straight.state.steps_done, 20);

  const RunResult first = Train(Blink(folder.path() / "b"), 8);
  EXPECT_FALSE(first.finished);
  EXPECT_EQ(first.state.steps_done, 8);
  RunRequest rest = Blink(folder.path() / "b");
  rest.resume = true;
  const RunResult second = Train(rest);
  EXPECT_TRUE(second.finished);
  EXPECT_GT(second.state.elapsed_s, first.state.elapsed_s);

  const CheckpointFolder a(folder.path() / "a");
  const CheckpointFolder b(folder.path() / "b");
  EXPECT_EQ(*a.Newest(), a.PathAt(20));
  EXPECT_EQ(TensorsOf(*a.Newest()), TensorsOf(*b.Newest()));
  EXPECT_NE(TensorsOf(a.PathAt(15)), TensorsOf(*a.Newest()));
  EXPECT_EQ(ReadWholeFile(folder.path() / "a/model.safetensors"),
            ReadWholeFile(folder.path() / "b/model.safetensors"));
}

TEST(TrainRun, LeavesWhatItPromises) {
  const TempFolder folder;
  Train(Blink(folder.path(), {"held_out.sets=['room/handheld','street/vehicle']", "held_out.windows=2",
                              "loop.evaluate_every=10", "loop.keep_checkpoints=1", "loop.export_dtype=f32"}));
  const ModelFile model = LoadModelFile(folder.path() / "model.safetensors");
  EXPECT_EQ(model.config.name, "calfvo-tiny");
  // log of a degree in radians and of 0.03 m.
  EXPECT_NEAR(model.config.head.log_variance_shift[0], -4.0482270, 1e-6);
  EXPECT_NEAR(model.config.head.log_variance_shift[1], -3.506558, 1e-6);
  LoadModelFile(folder.path() / "model-last.safetensors");
  EXPECT_THAT(ReadWholeFile(folder.path() / "curves.html"),
              AllOf(HasSubstr("room/handheld"), HasSubstr("</html>")));
  const std::string log = ReadWholeFile(folder.path() / "log.jsonl");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 4 + 2);
  // The saved configuration is whole and gives the same options.
  const TrainConfig saved = ReadTrainConfig(folder.path() / "config.toml", {});
  EXPECT_EQ(saved.text, ReadWholeFile(folder.path() / "config.toml"));
  EXPECT_EQ(saved.options.loop.batch, 4);
}

// Validation on a user's own recordings: curves and a model chosen by them, and examples to look at.
TEST(TrainRun, ValidatesOnRecordedSequences) {
  const TempFolder folder;
  WriteSequence(folder.path() / "mine/a", 1);
  const RunResult result = Train(Blink(
      folder.path() / "run",
      {"held_out.datasets=[{ path = '" + (folder.path() / "mine").string() + "', name = 'my recordings' }]",
       "held_out.windows=2", "loop.evaluate_every=10"}));
  EXPECT_GT(result.state.best_step, 0);
  EXPECT_TRUE(exists(folder.path() / "run/model.safetensors"));
  EXPECT_THAT(ReadWholeFile(folder.path() / "run/log.jsonl"), HasSubstr("my recordings"));
  const std::string page = ReadWholeFile(folder.path() / "run/curves.html");
  EXPECT_THAT(page, AllOf(HasSubstr("<h2>Examples</h2>"), HasSubstr("<h3>my recordings</h3>"),
                          HasSubstr("data:image/png;base64,")));
}

TEST(TrainRun, DoesNotOverwriteARun) {
  const TempFolder folder;
  Train(Blink(folder.path(), {"schedule.steps=5"}));
  EXPECT_THAT(ErrorFrom([&] { Train(Blink(folder.path())); }),
              HasSubstr("already holds a run; continue it with --resume"));
}

TEST(TrainRun, DoesNotOverwriteAModel) {
  const TempFolder folder;
  WriteFileAtomically(folder.path() / "model.safetensors", "precious");
  EXPECT_THAT(ErrorFrom([&] { Train(Blink(folder.path())); }),
              HasSubstr("model.safetensors: already exists, but not as part of a run"));
  EXPECT_EQ(ReadWholeFile(folder.path() / "model.safetensors"), "precious");
}

TEST(TrainRun, NamesTheCheckpointToGoOnFromWhereOneIsDamaged) {
  const TempFolder folder;
  RunRequest request = Blink(folder.path(), {"schedule.steps=6", "loop.checkpoint_every=3"});
  Train(request);
  const auto newest = *CheckpointFolder(folder.path()).Newest();
  std::filesystem::resize_file(newest, std::filesystem::file_size(newest) / 2);
  request.resume = true;
  EXPECT_THAT(ErrorFrom([&] { Train(request); }),
              AllOf(HasSubstr(newest.string()), HasSubstr("goes on from the checkpoint before it")));
  std::filesystem::remove(newest);
  EXPECT_EQ(Train(request).state.steps_done, 6);
}

TEST(TrainRun, RefusesCheckpointsOfNumbersThatNoRunWrites) {
  const TempFolder folder;
  RunRequest request = Blink(folder.path(), {"schedule.steps=4", "loop.checkpoint_every=2"});
  Train(request);
  request.resume = true;
  const auto newest = *CheckpointFolder(folder.path()).Newest();
  const auto original = folder.path() / "original";
  std::filesystem::copy_file(newest, original);
  const auto error_with = [&](const char* key, const char* value, bool spoil_average = false) {
    const auto from = OpenWeights(original);
    auto metadata = from->metadata();
    metadata[key] = value;
    std::vector<SafetensorsWriter::Entry> entries;
    for (const std::string& name : from->names())
      entries.push_back({name, from->Get(name).dtype(), from->Get(name).shape()});
    SafetensorsWriter writer(newest, entries, metadata);
    for (const auto& entry : writer.entries()) {
      Tensor tensor = CopyOf(from->Get(entry.name));
      if (spoil_average && entry.name == "average") tensor.MutableData<float>()[7] = NAN;
      writer.Append(tensor.view());
    }
    writer.Commit();
    return ErrorFrom([&] { Train(request); });
  };
  EXPECT_THAT(error_with("steps_done", "-7"), HasSubstr("'steps_done' is -7; expected 0 to 1000000000"));
  EXPECT_THAT(error_with("steps_done", "9223372036854775807"), HasSubstr("expected 0 to 1000000000"));
  EXPECT_THAT(error_with("elapsed_s", "nan"), HasSubstr("'elapsed_s' is nan; expected 0 to"));
  EXPECT_THAT(error_with("best_step", "-2"), HasSubstr("'best_step' is -2; expected -1 to"));
  EXPECT_THAT(error_with("steps_done", "4", /*spoil_average=*/true),
              HasSubstr("tensor 'average' holds NaN or infinity"));
}

// 1e10 parameters: with gradients, moments and averages more than most machines have memory for.
TEST(TrainRun, RefusesAModelThatDoesNotFitIntoMemory) {
  const TempFolder folder;
  const RunRequest request =
      Blink(folder.path() / "run", {"model.decoder.dim=8192", "model.decoder.depth=16"});
  if (LeastMemory(request.config.options, /*on_host=*/true) <= MachineMemory()) {
    GTEST_SKIP() << "it fits into this machine";
  }
  EXPECT_THAT(ErrorFrom([&] { Train(request); }), HasSubstr("GB or more to train, but this machine has"));
  EXPECT_FALSE(exists(folder.path() / "run"));
}

TEST(TrainRun, StopsWhereTheLossExplodes) {
  const TempFolder folder;
  // Steps as large as the weights, and the loss before the first of them known.
  const std::string message = ErrorFrom([&] {
    Train(Blink(folder.path(), {"schedule.learning_rate=1", "schedule.final_learning_rate=1",
                                "optimizer.clip_norm=0", "schedule.steps=200", "model.head.confidence=false",
                                "loop.checkpoint_every=1", "loop.log_every=1"}));
  });
  EXPECT_THAT(message, AllOf(HasSubstr("training diverged at step"), HasSubstr("The last good checkpoint is"),
                             HasSubstr("smaller schedule.learning_rate")));
}

TEST(TrainRun, AFailureOfTheDeviceNamesTheStepAndTheWayOn) {
  const TempFolder folder;
  const std::string message = ErrorFrom([&] {
    Processes alone({}, torch::kCPU);
    const RunRequest request = Blink(folder.path(), {"schedule.steps=20", "loop.checkpoint_every=2"});
    TrainRun(request, alone, torch::kCPU, [](int64_t step) {
      TORCH_CHECK(step < 5, "an illegal memory access was encountered\nCompile with this and that");
      return false;
    });
  });
  EXPECT_THAT(message,
              AllOf(HasSubstr("training failed at step 5 or shortly before: an illegal memory access"),
                    HasSubstr("checkpoint-000000004"), HasSubstr("--resume goes on from there"),
                    HasSubstr("--set loop.seed=N"), Not(HasSubstr("Compile"))));
}

// A store of tokens that no machine has memory for.
TEST(TrainRun, AFailureBeforeTheFirstStepIsReported) {
  const TempFolder folder;
  const std::vector<std::string> alone = {"model.encoder.kind=croco", "loss.motion_weight=0",
                                          "schedule.steps=5"};
  Train(Blink(folder.path() / "a", alone));
  std::vector<std::string> frozen = alone;
  frozen.insert(frozen.end(), {"loop.init_encoder=" + (folder.path() / "a/model.safetensors").string(),
                               "loop.freeze_encoder=true", "loop.cache_tokens_gb=1000000"});
  const std::string message = ErrorFrom([&] { Train(Blink(folder.path() / "b", frozen)); });
  EXPECT_THAT(message, AllOf(HasSubstr("training cannot begin on cpu: "), HasSubstr("allocate"),
                             HasSubstr("loop.cache_tokens_gb"), Not(HasSubstr("\n"))));
}

TEST(TrainRun, TimeEndsIt) {
  const TempFolder folder;
  const RunResult result = Train(
      Blink(folder.path(), {"schedule.steps=1000000", "schedule.max_minutes=0.02", "loop.log_every=1"}));
  EXPECT_TRUE(result.finished);
  EXPECT_GE(result.state.elapsed_s, 1.2);
  EXPECT_LT(result.state.elapsed_s, 30.0);
}

TEST(TrainRun, ResumeRefusesAnotherNetworkSeedOrOptimizer) {
  const TempFolder folder;
  Train(Blink(folder.path(), {"schedule.steps=5"}));
  RunRequest other = Blink(folder.path(), {"model.decoder.depth=1"});
  other.resume = true;
  EXPECT_THAT(ErrorFrom([&] { Train(other); }), HasSubstr("is of a network with other parameters"));
  // Of the same parameters, which mean something else.
  other = Blink(folder.path(), {"model.decoder.heads=1"});
  other.resume = true;
  EXPECT_THAT(ErrorFrom([&] { Train(other); }), HasSubstr("model.decoder.heads is 2, but the run has 1"));
  other = Blink(folder.path(), {"model.head.translation_std=[1.0, 0.05, 0.05]"});
  other.resume = true;
  EXPECT_THAT(ErrorFrom([&] { Train(other); }),
              HasSubstr("model.head.translation_std.0 is 0.05, but the run has 1"));
  other = Blink(folder.path(), {"loop.seed=7"});
  other.resume = true;
  EXPECT_THAT(ErrorFrom([&] { Train(other); }), HasSubstr("seed is 0, but the configuration has 7"));
  other = Blink(folder.path(), {"optimizer.kind=muon"});
  other.resume = true;
  EXPECT_THAT(ErrorFrom([&] { Train(other); }),
              HasSubstr("optimizer.kind is 'adamw', but the configuration has 'muon'"));
  other = Blink(folder.path(), {"data.procedural.trajectories='/no/such'"});
  other.resume = true;
  EXPECT_THAT(ErrorFrom([&] { Train(other); }), HasSubstr("no such folder of trajectories"));
  // The run's own configuration is still there, and goes on.
  RunRequest same{
      .config = ReadTrainConfig(folder.path() / "config.toml", {"schedule.steps=6", "model.name=renamed"}),
      .folder = folder.path(),
      .resume = true,
      .quiet = true};
  EXPECT_EQ(Train(same).state.steps_done, 6);
  EXPECT_EQ(ReadTrainConfig(folder.path() / "config.toml", {}).options.schedule.steps, 6);
}

TEST(TrainRun, OneRunAtATimeWritesToAFolder) {
  const TempFolder folder;
  std::string message;
  Processes alone({}, torch::kCPU);
  TrainRun(Blink(folder.path()), alone, torch::kCPU, [&](int64_t steps) {
    if (steps != 1) return false;
    message = ErrorFrom([&] { Train(Blink(folder.path())); });
    return true;
  });
  EXPECT_THAT(message, HasSubstr("another run is writing there"));
  RunRequest again = Blink(folder.path(), {"schedule.steps=3"});
  again.resume = true;
  EXPECT_EQ(Train(again).state.steps_done, 3);
}

TEST(TrainRun, AFinishedRunIsNotEvaluatedAgain) {
  const TempFolder folder;
  RunRequest request = Blink(
      folder.path() / "run" / "",
      {"schedule.steps=5", "held_out.sets=['room/handheld']", "held_out.windows=2", "loop.evaluate_every=5"});
  Train(request);
  const std::string log = ReadWholeFile(folder.path() / "run/log.jsonl");
  EXPECT_THAT(ReadWholeFile(folder.path() / "run/curves.html"), HasSubstr("<title>calfvo training: run<"));
  request.resume = true;
  EXPECT_TRUE(Train(request).finished);
  EXPECT_EQ(ReadWholeFile(folder.path() / "run/log.jsonl"), log);
}

TEST(TrainRun, TheBestIsFoundAnewOnOtherHeldOutWindows) {
  const std::vector<std::string> before = {"schedule.steps=5", "held_out.sets=['room/handheld']",
                                           "held_out.windows=2", "loop.evaluate_every=5"};
  const TempFolder folder;
  double score = Train(Blink(folder.path(), before)).state.best_score;
  std::vector<std::string> assignments = before;
  for (const char* change :
       {"held_out.sets=['street/vehicle']", "held_out.seed=5", "held_out.windows=3",
        "data.procedural.effects.max_noise=1", "data.procedural.camera.max_barrel=0.1"}) {
    assignments.push_back(change);
    RunRequest request = Blink(folder.path(), assignments);
    request.resume = true;
    testing::internal::CaptureStderr();
    const RunResult result = Train(request);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the best is found anew")) << change;
    EXPECT_NE(result.state.best_score, score) << change;
    EXPECT_EQ(result.state.best_step, 5);
    score = result.state.best_score;
  }
  // What training sees is another matter.
  assignments.insert(assignments.end(), {"data.procedural.threads=2", "data.procedural.scenes.room=7"});
  RunRequest request = Blink(folder.path(), assignments);
  request.resume = true;
  testing::internal::CaptureStderr();
  EXPECT_EQ(Train(request).state.best_score, score);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// Stopped at the second batch of the evaluation after `at` steps.
TEST(TrainRun, AnEvaluationIsBrokenOffAndMadeUpForLater) {
  const std::vector<std::string> evaluating = {"schedule.steps=10", "held_out.sets=['room/handheld']",
                                               "held_out.windows=4", "held_out.batch=1",
                                               "loop.evaluate_every=5"};
  const TempFolder folder;
  const RunResult straight = Train(Blink(folder.path() / "straight", evaluating));
  ASSERT_TRUE(straight.finished);
  ASSERT_GT(straight.state.best_step, 0);
  for (const int64_t at : {5, 10}) {
    const auto run = folder.path() / std::to_string(at);
    Processes alone({}, torch::kCPU);
    int asked = 0;  // once after the step, then once per batch
    const auto stop = [&](int64_t steps) { return steps == at && ++asked == 3; };
    const RunResult first = TrainRun(Blink(run, evaluating), alone, torch::kCPU, stop);
    EXPECT_FALSE(first.finished);
    EXPECT_EQ(asked, 3);
    EXPECT_EQ(CheckpointFolder(run).Newest(), CheckpointFolder(run).PathAt(at));
    const std::string log = ReadWholeFile(run / "log.jsonl");
    EXPECT_THAT(log, Not(HasSubstr("\"held_out\",\"step\":" + std::to_string(at))));
    EXPECT_FALSE(exists(run / "model-last.safetensors"));

    RunRequest rest = Blink(run, evaluating);
    rest.resume = true;
    const RunResult second = Train(rest);
    EXPECT_TRUE(second.finished);
    EXPECT_EQ(second.state.best_score, straight.state.best_score);
    EXPECT_EQ(ReadWholeFile(run / "model.safetensors"),
              ReadWholeFile(folder.path() / "straight/model.safetensors"));
    const std::string whole_log = ReadWholeFile(run / "log.jsonl");
    EXPECT_EQ(std::count(whole_log.begin(), whole_log.end(), '\n'), 2 + 2);
  }
}

TEST(TrainRun, ResumeWithAnotherSeedOnPurposeSeesOtherWindows) {
  const TempFolder folder;
  std::vector<std::string> ends;
  for (const char* seed : {"loop.seed=0", "loop.seed=7"}) {
    const auto run = folder.path() / seed;
    Train(Blink(run), 8);
    RunRequest rest = Blink(run, {seed});
    rest.resume = true;
    rest.another_seed = true;
    EXPECT_TRUE(Train(rest).finished);
    ends.push_back(TensorsOf(*CheckpointFolder(run).Newest()));
  }
  EXPECT_NE(ends[0], ends[1]);
}

TEST(TrainRun, StartsFromModelFiles) {
  const TempFolder folder;
  Train(Blink(folder.path() / "a", {"schedule.steps=5", "loop.export_dtype=f32"}));
  const std::string from = (folder.path() / "a/model.safetensors").string();
  // A frozen encoder stays as it is in the file.
  Train(Blink(folder.path() / "b", {"loop.init_encoder=" + from, "loop.freeze_encoder=true",
                                    "schedule.steps=5", "loop.export_dtype=f32"}));
  const ModelFile a = LoadModelFile(from);
  const ModelFile b = LoadModelFile(folder.path() / "b/model.safetensors");
  const auto same = [&](const char* name) {
    const auto x = a.weights->Get(name).bytes();
    const auto y = b.weights->Get(name).bytes();
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  // A run that goes on from a whole model begins where that one ended.
  Train(Blink(folder.path() / "c",
              {"loop.init=" + from, "schedule.steps=1", "schedule.warmup_steps=0",
               "schedule.learning_rate=1e-9", "schedule.final_learning_rate=0", "loop.export_dtype=f32"}));
  const auto before = a.weights->Get("head.weight").Data<float>();
  const ModelFile c = LoadModelFile(folder.path() / "c/model.safetensors");
  const auto after = c.weights->Get("head.weight").Data<float>();
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-7);
  EXPECT_THAT(
      ErrorFrom([&] {
        Train(Blink(folder.path() / "d", {"loop.init=" + from, "model.head.translation_std=[1, 1, 1]"}));
      }),
      HasSubstr(
          "its configuration differs from that of the run: model.head.translation_std.0 is 0.05, but the "
          "run has 1.0"));
  // An encoder sees what it saw when it was trained.
  EXPECT_THAT(ErrorFrom([&] {
                Train(Blink(folder.path() / "e",
                            {"loop.init_encoder=" + from, "model.input.mean=[0.485, 0.456, 0.406]"}));
              }),
              HasSubstr("its encoder takes images with mean [0.5, 0.5, 0.5]"));
  EXPECT_TRUE(same("encoder.blocks.0.mlp.fc1.weight"));
  EXPECT_FALSE(same("decoder.blocks.0.ffn.fc1.weight"));
}

TEST(TrainRun, LearnsTheAspectFromModelsThatDoNotKnowIt) {
  const TempFolder folder;
  Train(Blink(folder.path() / "a", {"schedule.steps=5", "loop.export_dtype=f32"}));
  const std::string from = (folder.path() / "a/model.safetensors").string();
  const std::vector<std::string> with_aspect = {"model.input.aspect=true", "loop.init=" + from,
                                                "schedule.steps=10", "loop.export_dtype=f32"};
  std::vector<std::string> still = with_aspect;
  still.insert(still.end(), {"schedule.learning_rate=1e-9", "schedule.final_learning_rate=0"});
  Train(Blink(folder.path() / "b", still));
  const auto largest = [&](const char* run) {
    const ModelFile model = LoadModelFile(folder.path() / run / "model.safetensors");
    EXPECT_TRUE(model.config.input.aspect);
    float most = 0.0F;
    for (const float value : model.weights->Get("decoder.aspect").Data<float>()) {
      most = std::max(most, std::abs(value));
    }
    return most;
  };
  EXPECT_LT(largest("b"), 1e-7F);
  const ModelFile before = LoadModelFile(from);
  const ModelFile after = LoadModelFile(folder.path() / "b/model.safetensors");
  for (const char* name : {"decoder.time_embed", "head.weight"}) {
    EXPECT_THAT(after.weights->Get(name).Data<float>(),
                testing::Pointwise(testing::FloatNear(1e-6F), before.weights->Get(name).Data<float>()));
  }
  Train(Blink(folder.path() / "c", with_aspect));
  EXPECT_GT(largest("c"), 1e-5F);

  // Stopped and resumed it goes the same way, though it is initialised once more.
  Train(Blink(folder.path() / "d", with_aspect), 4);
  RunRequest rest = Blink(folder.path() / "d", with_aspect);
  rest.resume = true;
  Train(rest);
  EXPECT_EQ(ReadWholeFile(folder.path() / "c/model.safetensors"),
            ReadWholeFile(folder.path() / "d/model.safetensors"));

  // The way back would throw away what was learned.
  const std::string knows = (folder.path() / "c/model.safetensors").string();
  EXPECT_THAT(ErrorFrom([&] { Train(Blink(folder.path() / "e", {"loop.init=" + knows})); }),
              HasSubstr("its configuration differs from that of the run"));
}

}  // namespace
}  // namespace calfvo::train
