// SPDX-License-Identifier: Apache-2.0
// calfvo-train as a program: several processes, and processes that die.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/base/testing.h"
#include "io/datasets/test_layouts.h"
#include "loop/checkpoint.h"
#include "loop/test_config.h"
#include "loop/test_recording.h"
#include "loop/train_log.h"
#include "nn/weights/weight_source.h"

namespace calfvo::train {
namespace {

using Arguments = std::vector<std::string>;

// Starts calfvo-train in a folder, with further variables; its messages go to `messages`.
pid_t Start(Arguments arguments, const Arguments& variables, const std::filesystem::path& messages,
            const std::filesystem::path& working_folder = ".") {
  arguments.insert(arguments.begin(), CALFVO_TRAIN_PROGRAM);
  Arguments environment = variables;
  for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
  const auto pointers = [](Arguments& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  };
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, messages.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  posix_spawn_file_actions_adddup2(&actions, 2, 1);
  posix_spawn_file_actions_addchdir_np(&actions, working_folder.c_str());
  pid_t process = -1;
  const int failed = ::posix_spawn(&process, CALFVO_TRAIN_PROGRAM, &actions, nullptr,
                                   pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  EXPECT_EQ(failed, 0);
  return process;
}

int Wait(pid_t process) {
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Arguments Blink(const Arguments& more) {
  Arguments arguments = {"--config", TinyConfigFile().string()};
  for (const std::string& assignment : BlinkAssignments())
    arguments.insert(arguments.end(), {"--set", assignment});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void Pause(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// The first exit code that is not 0 of two processes of one run.
int RunTwo(const Arguments& arguments, const std::filesystem::path& messages,
           const std::filesystem::path& working_folder = ".") {
  const std::string port = std::to_string(20'000 + ::getpid() % 20'000);
  std::vector<pid_t> processes;
  for (const char* rank : {"0", "1"}) {
    processes.push_back(Start(arguments,
                              {std::string("RANK=") + rank, std::string("LOCAL_RANK=") + rank, "WORLD_SIZE=2",
                               "LOCAL_WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port},
                              messages, working_folder));
  }
  int result = 0;
  for (const pid_t process : processes) {
    const int code = Wait(process);
    if (result == 0) result = code;
  }
  return result;
}

// Whole batches and halves of them differ by rounding alone, which AdamW's division by the size of the
// gradient enlarges at first; a large eps keeps that in bounds.
void ExpectTwoFollowOne(const std::filesystem::path& folder, const Arguments& more) {
  const auto arguments = [&](const char* name) {
    Arguments result = Blink(more);
    result.insert(result.end(), {"--set", "optimizer.eps=1e-3", "--out", (folder / name).string()});
    return result;
  };
  ASSERT_EQ(Wait(Start(arguments("one"), {}, folder / "one.txt")), 0) << ReadWholeFile(folder / "one.txt");
  ASSERT_EQ(RunTwo(arguments("two"), folder / "two.txt"), 0) << ReadWholeFile(folder / "two.txt");

  const auto one = OpenWeights(CheckpointFolder(folder / "one").PathAt(20));
  const auto two = OpenWeights(CheckpointFolder(folder / "two").PathAt(20));
  const auto start = OpenWeights(CheckpointFolder(folder / "one").PathAt(10));
  const auto a = one->Get("weights").Data<float>();
  const auto b = two->Get("weights").Data<float>();
  const auto before = start->Get("weights").Data<float>();
  float difference = 0.0F;
  float moved = 0.0F;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    moved = std::max(moved, std::abs(a[i] - before[i]));
  }
  EXPECT_LT(difference, 1e-5F);
  EXPECT_GT(moved, 1e-3F);
}

// The mean over known cells is not the mean of the halves' means, so image motion is left out.
TEST(Program, TwoProcessesFollowOne) {
  const TempFolder folder;
  ExpectTwoFollowOne(folder.path(), {"--set", "loss.motion_weight=0"});
}

// One window of four knows its motion: the first process has it, and the other has none.
TEST(Program, TwoProcessesFollowOneInAMixture) {
  const TempFolder folder;
  WriteSequence(folder.path() / "set/a", 1);
  ExpectTwoFollowOne(folder.path(),
                     {"--set", "data.procedural.share=1", "--set",
                      "data.datasets=[{ path = '" + (folder.path() / "set").string() + "', share = 3 }]"});
}

Arguments Assigned(Arguments arguments, const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) arguments.insert(arguments.end(), {"--set", assignment});
  return arguments;
}

// Ahead by 0.1 m per frame.
std::vector<Rigid3> StraightPath(int frames) {
  std::vector<Rigid3> path(static_cast<size_t>(frames));
  for (size_t i = 0; i < path.size(); ++i) path[i].translation.z() = 0.1 * static_cast<double>(i);
  return path;
}

// paper.toml as docs/training.md starts it, on recordings in the layouts that it names, with a small network
// and few steps.
TEST(Program, TwoProcessesTrainThePapersConfiguration) {
  const TempFolder folder;
  const auto data = folder.path() / "data";
  const std::vector<Rigid3> truth = StraightPath(24);
  WriteTartanAir(data / "tartanair-v2/ForestEnv/Data_easy/P000", "lcam_front", truth);
  WriteScanNet(data / "scannet/scans/scene0000_00", truth);
  WriteKitti(data / "kitti", "00", truth);
  WriteVirtualKitti2(data / "virtual-kitti", data / "virtual-kitti", truth);
  const auto configs = std::filesystem::path(CALFVO_TRAIN_CONFIGS);
  std::filesystem::create_directory_symlink(configs.parent_path(), folder.path() / "configs");
  const std::vector<std::string> small = {
      "model.input.size=32",   "model.encoder.dim=32",    "model.encoder.depth=1",
      "model.encoder.heads=2", "model.encoder.hidden=32", "model.decoder.dim=32",
      "model.decoder.depth=1", "model.decoder.heads=2",   "model.decoder.hidden=32",
      "schedule.steps=4",      "schedule.warmup_steps=1", "loop.device=cpu",
      "loop.log_every=2",      "loop.checkpoint_every=2", "loop.bf16=false"};
  // An encoder to start from.
  std::vector<std::string> encoder = small;
  encoder.insert(encoder.end(), {"loop.freeze_encoder=false", "loop.init_encoder=''", "schedule.steps=2",
                                 "loop.batch_per_process=1", "data.cache=''"});
  const auto messages = folder.path() / "messages.txt";
  const auto arguments = [&](const char* out, const std::vector<std::string>& assignments) {
    return Assigned({"--config", "configs/train/paper.toml", "--out", out}, assignments);
  };
  ASSERT_EQ(Wait(Start(arguments("encoder", encoder), {}, messages, folder.path())), 0)
      << ReadWholeFile(messages);
  std::filesystem::create_directory(folder.path() / "models");
  std::filesystem::rename(folder.path() / "encoder/model.safetensors",
                          folder.path() / "models/croco-encoder.safetensors");

  ASSERT_EQ(RunTwo(arguments("runs", small), messages, folder.path()), 0) << ReadWholeFile(messages);
  const TrainLog log(folder.path() / "runs/log.jsonl", 4);
  ASSERT_EQ(log.train().size(), 2U);
  EXPECT_TRUE(std::isfinite(log.train().back().loss));
  EXPECT_TRUE(exists(folder.path() / "runs/model.safetensors"));
}

TEST(Program, InterruptSavesACheckpoint) {
  const TempFolder folder;
  const CheckpointFolder run(folder.path() / "run");
  const pid_t process =
      Start(Blink({"--out", (folder.path() / "run").string(), "--set", "schedule.steps=1000000", "--set",
                   "loop.checkpoint_every=1000000", "--set", "loop.log_every=1"}),
            {}, folder.path() / "messages.txt");
  while (ReadWholeFile(folder.path() / "run/log.jsonl").empty()) Pause(20);
  ::kill(process, SIGTERM);
  EXPECT_EQ(Wait(process), 0);
  EXPECT_TRUE(run.Newest().has_value());
  EXPECT_THAT(ReadWholeFile(folder.path() / "messages.txt"),
              testing::HasSubstr("continue with: calfvo-train --resume"));
}

TEST(Program, WrongUsage) {
  const TempFolder folder;
  const std::pair<Arguments, std::string> cases[] = {
      {{}, "error: --config or --resume is required\n"},
      {{"--frobnicate"}, "error: The following argument was not expected: --frobnicate\n"},
      {{"--resume", "x", "--out", "y"}, "error: --out excludes --resume\n"},
  };
  for (const auto& [arguments, message] : cases) {
    const auto messages = folder.path() / "a";
    std::filesystem::remove(messages);
    EXPECT_EQ(Wait(Start(arguments, {}, messages)), 2);
    EXPECT_EQ(ReadWholeFile(messages), message + "Try 'calfvo-train --help'.\n");
  }
  EXPECT_EQ(Wait(Start({"--resume", (folder.path() / "none").string()}, {}, folder.path() / "b")), 1);
  EXPECT_THAT(ReadWholeFile(folder.path() / "b"),
              testing::HasSubstr("config.toml: cannot open the configuration"));
}

// Every file is whole or not there, so whatever moment it dies at, a run can be gone on with.
TEST(ProgramSlow, SurvivesBeingKilled) {
  const TempFolder folder;
  const Arguments arguments =
      Blink({"--resume", (folder.path() / "run").string(), "--set", "loop.checkpoint_every=1", "--set",
             "loop.log_every=1", "--set", "schedule.steps=1000000", "--set", "loop.evaluate_every=3", "--set",
             "held_out.windows=1", "--set", "held_out.sets=['room/handheld']"});
  const CheckpointFolder run(folder.path() / "run");
  std::mt19937 random(1);
  std::filesystem::path last;
  for (int round = 0; round < 20; ++round) {
    const pid_t process = Start(arguments, {}, folder.path() / "messages.txt");
    // Every other round dies somewhere on its way to the first checkpoint, the rest soon after one.
    const auto came_further = [&] { return run.Newest() && *run.Newest() > last; };
    while (round % 2 == 0 && !came_further() && ::waitpid(process, nullptr, WNOHANG) == 0) Pause(10);
    Pause(static_cast<int>(random() % (round % 2 == 0 ? 200 : 1500)));
    ASSERT_EQ(::waitpid(process, nullptr, WNOHANG), 0) << ReadWholeFile(folder.path() / "messages.txt");
    ::kill(process, SIGKILL);
    EXPECT_EQ(Wait(process), -SIGKILL);
    last = run.Newest().value();
  }
  Arguments to_end = arguments;
  const std::string steps = last.stem().string().substr(std::string("checkpoint-").size());
  to_end.insert(to_end.end(), {"--set", "schedule.steps=" + std::to_string(std::stoll(steps) + 3)});
  EXPECT_EQ(Wait(Start(to_end, {}, folder.path() / "messages.txt")), 0)
      << ReadWholeFile(folder.path() / "messages.txt");
}

}  // namespace
}  // namespace calfvo::train
