// SPDX-License-Identifier: Apache-2.0
// `calfvo run` as users call it: files, determinism, interruption, messages and exit codes. The network is a
// tiny one with random weights, so poses mean nothing here; what they must be is tested beside the odometry
// and the network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "calfvo/evaluation.h"
#include "calfvo/trajectory.h"
#include "nn/architecture/model_file.h"
#include "run_program.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class RunCli : public testing::Test {
 protected:
  RunCli() {
    const ModelFile model = RandomModel(TinyConfig(), 1);
    SaveModelFile(model.config, *model.weights, DType::kF32, At("tiny.safetensors"));
  }

  Outcome Calfvo(const std::string& arguments) const { return RunCalfvo(folder_.path(), arguments); }
  Outcome RunVideo(const std::string& arguments) const {
    return Calfvo("run --model tiny.safetensors " + arguments);
  }
  void MakeClip(const std::string& name, int frames) const {
    const Outcome outcome =
        Calfvo("synth room --size 64x48 --quiet --frames " + std::to_string(frames) + " -o " + name);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  std::filesystem::path At(const std::string& name) const { return folder_.path() / name; }
  std::string Text(const std::string& name) const { return ReadWholeFile(At(name)); }

  // Starts `calfvo run` with these arguments and returns its process.
  pid_t Start(const std::string& arguments) const {
    const std::string command = "cd " + folder_.path().string() + " && exec " + CALFVO_PROGRAM +
                                " run --model tiny.safetensors " + arguments + " >stdout.txt 2>stderr.txt";
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    return child;
  }
  // Waits until `name` has at least `lines` lines.
  bool WaitForLines(const std::string& name, int lines) const {
    for (int i = 0; i < 1000; ++i) {
      const std::string text = Text(name);
      if (std::count(text.begin(), text.end(), '\n') >= lines) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }

  const TempFolder folder_;
};

TEST_F(RunCli, WritesEverythingThatIsPromised) {
  MakeClip("clip", 20);
  const Outcome outcome = RunVideo("clip -o out --export npz,colmap --gt clip/groundtruth.txt");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, StartsWith("20 frames, 0.6 s, path "));
  EXPECT_THAT(outcome.out, HasSubstr("out/path.png"));
  EXPECT_THAT(outcome.out, HasSubstr("t_rel"));
  EXPECT_THAT(outcome.out, HasSubstr("constant-motion baseline"));
  for (const char* name : {"trajectory.tum", "trajectory.kitti", "poses.csv", "path.png", "path.svg",
                           "uncertainty.png", "run.json", "trajectory.npz", "colmap/sparse/0/images.txt",
                           "report/report.html", "report/largest-errors.png"}) {
    EXPECT_TRUE(std::filesystem::exists(At("out") / name)) << name;
  }
  const Trajectory path = ReadTrajectory(At("out/trajectory.tum"));
  EXPECT_EQ(path.timestamps_ns, ReadTrajectory(At("clip/groundtruth.txt")).timestamps_ns);
  const auto json = nlohmann::json::parse(Text("out/run.json"));
  EXPECT_EQ(json["frames"], 20);
  EXPECT_EQ(json["poses"], 20);
  EXPECT_GT(json["fps"], 0.0);
  EXPECT_GT(json["peak_rss_mb"], 1.0);
  EXPECT_EQ(json["model"]["sha256"].get<std::string>().size(), 64U);
  for (const char* stage : {"decode", "preprocess", "encode", "window", "fuse", "write"}) {
    EXPECT_GE(json["stages"][stage], 0.0) << stage;
  }
  EXPECT_TRUE(json["eval"]["t_rel"].is_number());
}

TEST_F(RunCli, ThePageIsPartOfTheRun) {
  const ScopedEnvironment viewer("CALFVO_VIEWER", At("viewer.html").string());
  std::ofstream(At("viewer.html")) << R"(<meta http-equiv="Content-Security-Policy" content="connect-src )"
                                      R"(calfvo:connect"><!--calfvo:data-->)";
  MakeClip("clip", 12);
  const Outcome outcome = RunVideo("clip -o out --threads 1 --gt clip/groundtruth.txt");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("out/view.html"));
  ASSERT_EQ(RunVideo("clip -o again --live --gt clip/groundtruth.txt").exit_code, 0);
  EXPECT_EQ(Text("again/view.html"), Text("out/view.html"));
  EXPECT_THAT(Text("out/view.html"), HasSubstr("\"title\":\"clip\""));
  EXPECT_THAT(Text("out/view.html"), HasSubstr("\"truth\":"));
  EXPECT_TRUE(nlohmann::json::parse(Text("out/run.json"))["files"].contains("view.html"));
  ASSERT_EQ(RunVideo("clip -o out --no-page").exit_code, 0);  // replaces all, the page too
  EXPECT_FALSE(std::filesystem::exists(At("out/view.html")));
  EXPECT_FALSE(std::filesystem::exists(At("out/groundtruth.tum")));
  std::ofstream(At("out/view.html")) << "mine";
  EXPECT_EQ(RunVideo("clip -o out").exit_code, 1);
  EXPECT_EQ(Text("out/view.html"), "mine");
}

TEST_F(RunCli, SameBytesAgainForAnyThreadsAndLive) {
  MakeClip("clip", 25);
  const std::string input = CALFVO_HAS_VIDEO ? "clip/video.mp4" : "clip";
  ASSERT_EQ(RunVideo(input + " -o a --threads 1").exit_code, 0);
  ASSERT_EQ(RunVideo(input + " -o b --threads 1").exit_code, 0);
  ASSERT_EQ(RunVideo(input + " -o c --threads 2").exit_code, 0);
  ASSERT_EQ(RunVideo(input + " -o d --live").exit_code, 0);
  for (const char* name :
       {"trajectory.tum", "trajectory.kitti", "poses.csv", "path.png", "uncertainty.svg"}) {
    const std::string expected = Text(std::string("a/") + name);
    for (const char* other : {"b/", "c/", "d/"})
      EXPECT_EQ(Text(std::string(other) + name), expected) << other << name;
  }
}

TEST_F(RunCli, OnePosePerFrameForShortInputsAndCuts) {
  for (const int frames : {1, 2, 7, 8, 9}) {
    MakeClip("clip", frames);
    ASSERT_EQ(RunVideo("clip/rgb -o out --fps 10").exit_code, 0) << frames;
    EXPECT_EQ(ReadTrajectory(At("out/trajectory.tum")).size(), static_cast<size_t>(frames));
    std::filesystem::remove_all(At("clip"));
  }
  MakeClip("clip", 30);
  ASSERT_EQ(RunVideo("clip/rgb -o out --fps 10 --stride 3 --start 0.5 --end 2.5").exit_code, 0);
  const Trajectory path = ReadTrajectory(At("out/trajectory.tum"));
  ASSERT_EQ(path.size(), 7U);
  EXPECT_EQ(path.timestamps_ns.front(), 500'000'000);
  EXPECT_EQ(path.timestamps_ns[1], 800'000'000);
}

TEST_F(RunCli, JsonIsAllThatIsPrinted) {
  MakeClip("clip", 9);
  const Outcome outcome = RunVideo("clip -o out --json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["frames"], 9);
  EXPECT_EQ(outcome.out, Text("out/run.json"));
}

// Installed, a program finds the model beside it however it is started. The model's name is not in the source
// tree, which would be looked through too.
TEST_F(RunCli, ModelsAreFoundBesideTheProgram) {
  std::filesystem::create_directories(At("prefix/bin"));
  std::filesystem::create_directories(At("prefix/share/calfvo/models"));
  std::filesystem::create_directories(At("links"));
  std::filesystem::copy(CALFVO_PROGRAM, At("prefix/bin/calfvo"));
  std::filesystem::copy(At("tiny.safetensors"), At("prefix/share/calfvo/models/installed.safetensors"));
  std::filesystem::create_symlink(At("prefix/bin/calfvo"), At("links/calfvo"));
  MakeClip("clip", 3);
  for (const char* start :
       {"prefix/bin/calfvo", "PATH=$PWD/prefix/bin:$PATH calfvo", "PATH=$PWD/links:$PATH calfvo"}) {
    const Outcome outcome = RunProgram(folder_.path(), std::string(start) + " run clip --model installed");
    EXPECT_EQ(outcome.exit_code, 0) << start << "\n" << outcome.err;
  }
}

// The examples use the installed headers alone.
TEST_F(RunCli, ManifestsSkipWhatIsDoneAndSurviveWhatFails) {
  MakeClip("one", 9);
  MakeClip("two", 3);
  std::ofstream(At("list.txt")) << "one\nnone.mp4\ntwo\tsecond\n";
  const Outcome first = RunVideo("--manifest list.txt -o out --shard 1/2");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_TRUE(std::filesystem::exists(At("out/one/run.json")));
  EXPECT_TRUE(std::filesystem::exists(At("out/second/run.json")));
  const Outcome all = RunVideo("--manifest list.txt -o out");
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_THAT(all.out, HasSubstr("[1/3] one: already done"));
  EXPECT_THAT(all.err, HasSubstr("none.mp4"));
  EXPECT_THAT(all.err, HasSubstr("1 of 3 inputs failed"));
}

TEST_F(RunCli, ManifestsDoNotMixResultsOfOtherSettings) {
  MakeClip("one", 9);
  std::ofstream(At("list.txt")) << "one\n";
  const std::string command = "--manifest list.txt -o out ";
  ASSERT_EQ(RunVideo(command + "--threads 1").exit_code, 0);
  const std::string poses = Text("out/one/poses.csv");
  const auto expect_refused = [&](const std::string& arguments, const std::string& difference) {
    const Outcome outcome = RunVideo(command + arguments);
    EXPECT_EQ(outcome.exit_code, 1) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("out/one: holds results of other settings (" + difference +
                                       "); use the same settings, another folder (-o), or --overwrite"));
    EXPECT_EQ(Text("out/one/poses.csv"), poses) << arguments;
  };
  expect_refused("--overlap 3 --stride 2", "overlap 5, now 3; stride 1, now 2");
  expect_refused("--fps 10 --end 0.2", "end_s not given, now 0.2; fps not given, now 10");
  expect_refused("--export npz", "no npz");
  expect_refused("--flip", "flip not given, now true");
  EXPECT_THAT(RunVideo(command + "--threads 2 --live").out, HasSubstr("one: already done"));
  const Outcome forced = RunVideo(command + "--overlap 3 --overwrite");
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_THAT(forced.out, HasSubstr("one: 9 frames"));
  EXPECT_EQ(nlohmann::json::parse(Text("out/one/run.json"))["options"]["overlap"], 3);
  EXPECT_THAT(RunVideo(command + "--overlap 3 --overwrite").out, HasSubstr("one: already done"));

  const ModelFile other = RandomModel(TinyConfig(), 2);
  SaveModelFile(other.config, *other.weights, DType::kF32, At("tiny.safetensors"));
  EXPECT_THAT(RunVideo(command + "--overlap 3").err,
              testing::ContainsRegex("other settings \\(model tiny [0-9a-f]{12}, now tiny [0-9a-f]{12}\\)"));
}

TEST_F(RunCli, QuietManifestsPrintNothing) {
  MakeClip("one", 3);
  std::ofstream(At("list.txt")) << "one\n";
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = RunVideo("--manifest list.txt -o out --quiet");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out + outcome.err, "");
  }
}

TEST_F(RunCli, ResultsOfDifferentInputsAreNotMixed) {
  MakeClip("one", 9);
  MakeClip("two", 3);
  ASSERT_EQ(RunVideo("one -o out --export npz,colmap --gt one/groundtruth.txt").exit_code, 0);
  const std::string poses = Text("out/poses.csv");
  const Outcome refused = RunVideo("two -o out");
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("/one; use another folder (-o), or --overwrite"));
  EXPECT_EQ(Text("out/poses.csv"), poses);
  EXPECT_TRUE(std::filesystem::exists(At("out/report/report.html")));

  const Outcome again = RunVideo("./one/ -o out");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(Text("out/poses.csv"), poses);
  const auto expect_only_poses = [&] {
    for (const char* name : {"report", "colmap", "trajectory.npz", "unfinished.json"}) {
      EXPECT_FALSE(std::filesystem::exists(At("out") / name)) << name;
    }
  };
  expect_only_poses();
  const Outcome forced = RunVideo("two -o out --overwrite");
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_EQ(nlohmann::json::parse(Text("out/run.json"))["frames"], 3);
  expect_only_poses();
}

TEST_F(RunCli, ARunWithoutPosesLeavesTheFolderAsItWas) {
  MakeClip("clip", 9);
  ASSERT_EQ(RunVideo("clip -o out").exit_code, 0);
  const std::string before = Text("out/run.json");
  const Outcome outcome = RunVideo("clip -o out --start 100");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("clip: no frames after --start 100 s"));
  EXPECT_EQ(Text("out/run.json"), before);
  EXPECT_EQ(ReadTrajectory(At("out/trajectory.tum")).size(), 9U);
  EXPECT_FALSE(std::filesystem::exists(At("out/unfinished.json")));
  RunVideo("clip -o new --start 100");
  EXPECT_FALSE(std::filesystem::exists(At("new")));
}

TEST_F(RunCli, AFailedEvaluationLosesNothing) {
  MakeClip("clip", 9);
  std::ofstream(At("late.txt")) << "5000 0 0 0 0 0 0 1\n5001 0 0 0 0 0 0 1\n";
  const Outcome late = RunVideo("clip -o out --gt late.txt");
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_THAT(late.err, HasSubstr("clip was estimated but not evaluated: no poses match within 0.01 s"));
  EXPECT_THAT(late.out, StartsWith("9 frames"));
  const auto json = nlohmann::json::parse(Text("out/run.json"));
  EXPECT_THAT(json["eval_error"].get<std::string>(), StartsWith("no poses match"));
  EXPECT_FALSE(json.contains("eval"));

  // What is known before the first frame is checked before it.
  for (const char* wrong : {"--gt none.txt", "--gt clip/synth.json"}) {
    EXPECT_EQ(RunVideo(std::string("clip -o none ") + wrong).exit_code, 1) << wrong;
    EXPECT_FALSE(std::filesystem::exists(At("none"))) << wrong;
  }
}

TEST_F(RunCli, AModelWithoutConfidenceReportsNoUncertainty) {
  ModelConfig config = TinyConfig();
  config.head.confidence = false;
  const ModelFile model = RandomModel(config, 1);
  SaveModelFile(model.config, *model.weights, DType::kF32, At("tiny.safetensors"));
  MakeClip("clip", 9);
  const Outcome outcome = RunVideo("clip -o out --gt clip/groundtruth.txt");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("standard deviation")));
  EXPECT_FALSE(std::filesystem::exists(At("out/uncertainty.png")));
  EXPECT_THAT(Text("out/report/report.html"), testing::Not(HasSubstr("95 % bound")));
}

// Nor is a file of results where messages go.
TEST_F(RunCli, ClosedStandardStreamsAreNotReusedForFiles) {
  const Outcome outcome = RunVideo("- -o out <&-");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "error: standard input: cannot read: Bad file descriptor\n");

  std::string bytes = "YUV4MPEG2 W32 H32 Cmono\n";
  for (int i = 0; i < 12; ++i) bytes += "FRAME\n" + std::string(32 * 32, static_cast<char>(i));
  std::ofstream(At("broken.y4m"), std::ios::binary) << bytes + "no frame\n";
  EXPECT_EQ(RunVideo("--live - <broken.y4m -o open").exit_code, 1);
  EXPECT_THAT(Text("stderr.txt"), HasSubstr("broke off after 12 frames"));
  const std::string closed =
      "(" CALFVO_PROGRAM " run --model tiny.safetensors --live - <broken.y4m -o closed 2>&-)";
  EXPECT_EQ(RunProgram(folder_.path(), closed).exit_code, 1);
  for (const char* name : {"trajectory.tum", "trajectory.kitti", "poses.csv"}) {
    EXPECT_EQ(Text(std::string("closed/") + name), Text(std::string("open/") + name)) << name;
  }
}

TEST_F(RunCli, WrongUsage) {
  MakeClip("clip", 3);
  std::ofstream(At("file")) << "x";
  struct Case {
    const char* arguments;
    int exit_code;
    const char* message;
  };
  const Case cases[] = {
      {"", 2, "expected one input, or --manifest FILE"},
      {"clip --manifest x", 2, "INPUT: and --manifest are both given: one expected"},
      {"clip --shard 1/2", 2, "needs --manifest"},
      {"clip --no-wait", 2, "needs --manifest"},
      {"clip -o out --overlap 8", 1, "windows of 8 frames can share 1 to 7"},
      {"clip -o out --window 6", 1, "was trained on windows of 8"},
      {"clip -o out --overlap -1", 2, "--overlap: '-1' is not a whole number from 1"},
      {"clip -o out --stride 0", 2, "--stride: '0' is not a whole number from 1"},
      {"clip -o out --fps 0", 2, "--fps: frame rate '0' is not"},
      {"clip -o out --start nan", 2, "--start: 'nan' is not a number from 0 to 1000000000"},
      {"clip -o out --start 2 --end 1", 2, "--end: 1 is not after --start, 2"},
      {"clip -o out --max-diff nan", 2, "--max-diff: 'nan'"},
      {"clip -o out --max-diff 0.5", 2, "--max-diff: needs --gt"},
      {"clip -o out --stream 0", 1, "clip: has no stream 0: it is not a video but images"},
      {"dataset:clip -o out --stream 1", 1, "it is not a video but dataset"},
      {"--manifest x -o out --shard 0/2", 2, "--shard: shard '0/2': expected I/N"},
      {"clip -o out --precision f8", 2, "--precision: f8 not in {auto,f32,bf16,fp8,int8}"},
      {"clip -o file/out", 1, "file/out"},
      {"clip/rgb -o clip/rgb", 1, "clip/rgb: holds the images of clip/rgb"},
      {"clip -o out --gt none.txt", 1, "none.txt"},
      {"none.mp4 -o out", 1, "none.mp4"},
      {"clip -o ''", 2, "--output: expected a path"},
      {"clip -o out --gt ''", 2, "--gt: expected a path"},
      {"--manifest '' -o out", 2, "--manifest: expected a path"},
      {"clip -o out --start 100", 1, "no frames"},
  };
  for (const Case& wrong : cases) {
    const Outcome outcome = RunVideo(wrong.arguments);
    EXPECT_EQ(outcome.exit_code, wrong.exit_code) << wrong.arguments << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(wrong.message)) << wrong.arguments;
    if (wrong.exit_code == 1) {
      EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
  }
  const Outcome model = Calfvo("run clip -o out --model no-such");
  EXPECT_EQ(model.exit_code, 1);
  EXPECT_THAT(model.err, HasSubstr("no model 'no-such'"));
}

// Accuracy is part of what is promised: on synthetic video that it was not trained on, the shipped model must
// be far better than predicting no motion.
TEST_F(RunCli, TheShippedModelFollowsCameras) {
  double rotation = 0.0;  // errors as shares of those of no motion, means over the clips
  double translation = 0.0;
  const std::vector<std::string> clips = {"room --preset phone --size 320x240",
                                          "corridor --preset phone --size 320x240",
                                          "street --preset driving --size 496x152"};
  for (const std::string& clip : clips) {
    SCOPED_TRACE(clip);
    const std::string kind = clip.substr(0, clip.find(' '));
    const std::string out = kind + "-out";
    ASSERT_EQ(Calfvo("synth " + clip + " --frames 16 --seed 950 --no-video --quiet -o " + kind).exit_code, 0);
    ASSERT_EQ(Calfvo("run " + kind + " -o " + out + " --quiet --precision f32").exit_code, 0);
    const Evaluation ours =
        Evaluate(ReadTrajectory(At(kind + "/groundtruth.txt")), ReadTrajectory(At(out + "/trajectory.tum")));
    rotation += ours.r_rel_deg / ours.zero_motion.r_rel_deg / static_cast<double>(clips.size());
    translation += ours.t_rel_m / ours.zero_motion.t_rel_m / static_cast<double>(clips.size());
    EXPECT_LT(ours.r_rel_deg, 0.25 * ours.zero_motion.r_rel_deg);
    EXPECT_LT(ours.t_rel_m, 0.35 * ours.zero_motion.t_rel_m);
    EXPECT_GT(ours.fitted_scale, 0.7);
    EXPECT_LT(ours.fitted_scale, 1.4);
  }
  EXPECT_LT(rotation, 0.15);
  EXPECT_LT(translation, 0.2);
}

#if CALFVO_HAS_CAMERA
constexpr const char* kEndless = "'lavfi:testsrc=size=64x48:rate=200,realtime'";

TEST_F(RunCli, CtrlCFinishesWithWhatHasBeenRead) {
  const pid_t child = Start(std::string(kEndless) + " --live -o out");
  ASSERT_TRUE(WaitForLines("out/trajectory.tum", 20));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << Text("stderr.txt");
  const auto json = nlohmann::json::parse(Text("out/run.json"));
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_EQ(ReadTrajectory(At("out/trajectory.tum")).size(), json["frames"].get<size_t>());
  EXPECT_THAT(Text("stdout.txt"), HasSubstr("stopped early"));
}

TEST_F(RunCli, KillLosesAtMostTheLineInFlight) {
  const pid_t child = Start(std::string(kEndless) + " --live -o out");
  ASSERT_TRUE(WaitForLines("out/trajectory.tum", 20));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  std::string text = Text("out/trajectory.tum");
  text.resize(text.rfind('\n') + 1);
  std::ofstream(At("kept.tum")) << text;
  EXPECT_GE(ReadTrajectory(At("kept.tum")).size(), 19U);
}

TEST_F(RunCli, AKilledRunLeavesNoReportOfAnEarlierOne) {
  MakeClip("clip", 3);
  ASSERT_EQ(RunVideo("clip -o out").exit_code, 0);
  const pid_t child = Start(std::string(kEndless) + " --live -o out --overwrite");
  ASSERT_TRUE(WaitForLines("out/trajectory.tum", 20));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(std::filesystem::exists(At("out/run.json")));
  EXPECT_THAT(RunVideo("clip -o out").err, HasSubstr("out: holds results of lavfi:"));
}

TEST_F(RunCli, AnInterruptedVideoOfAManifestIsRunAgain) {
  MakeClip("clip", 3);
  std::ofstream(At("list.txt")) << "lavfi:testsrc=size=64x48:rate=200,realtime\tlong\nclip\n";
  for (int i = 0; i < 2; ++i) {
    std::filesystem::remove(At("out/long/trajectory.tum"));
    const pid_t child = Start("--manifest list.txt -o out --live --overwrite");  // as it is a camera
    ASSERT_TRUE(WaitForLines("out/long/trajectory.tum", 20)) << i << Text("stdout.txt");
    kill(child, SIGTERM);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 75);
    EXPECT_THAT(Text("stdout.txt"), HasSubstr("[1/2] long: stopped after "));
  }
}
#endif

}  // namespace
}  // namespace calfvo
