// SPDX-License-Identifier: Apache-2.0
// The network is a tiny one with random weights: poses mean nothing, but their errors must be right.
#include "commands/suite/suite_runner.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "eval/tables/path_scores.h"
#include "eval/tables/test_suite.h"
#include "nn/architecture/model_file.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

class SuiteRunnerTest : public testing::Test {
 protected:
  SuiteRunnerTest() {
    SaveModel(1);
    WriteRecording(At("data/rgbd_dataset_freiburg1_xyz"), 12, 1);
    WriteRecording(At("data/walk"), 15, 2);
    options_.data = {At("data")};
    options_.output = At("out");
    options_.run.model = At("tiny.safetensors").string();
    options_.run.threads = 1;
    options_.run.quiet = true;
  }

  std::filesystem::path At(const std::string& name) const { return folder_.path() / name; }
  void SaveModel(uint64_t seed) const {
    const ModelFile model = RandomModel(TinyConfig(), seed);
    SaveModelFile(model.config, *model.weights, DType::kF32, At("tiny.safetensors"));
  }
  std::vector<SuiteSequence> Run() const { return RunSuite(options_, stop_); }

  const TempFolder folder_;
  SuiteOptions options_;
  std::atomic<bool> stop_ = false;
};

TEST_F(SuiteRunnerTest, ErrorsAreThoseOfTheFilesItLeaves) {
  const auto sequences = Run();
  ASSERT_EQ(sequences.size(), 2U);
  for (const SuiteSequence& sequence : sequences) {
    EXPECT_EQ(sequence.error, "");
    const auto folder = At("out") / sequence.found.kind / sequence.found.name;
    for (const char* name : {"trajectory.tum", "poses.csv", "run.json", "report/path.png", "result.json"}) {
      EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
    }
    const SuiteResult& result = sequence.results.at(5);
    const Trajectory truth = ReadTrajectory(sequence.found.path / "groundtruth.txt");
    const Trajectory estimate = ReadTrajectory(folder / "trajectory.tum");
    const Evaluation as_is = Evaluate(truth, estimate);
    const Evaluation aligned = Evaluate(truth, estimate, {.alignment = Alignment::kSim3});
    EXPECT_NEAR(result.scores.t_rel, as_is.t_rel_m, 1e-9);
    EXPECT_NEAR(result.scores.r_rel, as_is.r_rel_deg, 1e-9);
    EXPECT_NEAR(result.scores.ate, as_is.ate_as_is.rmse, 1e-9);
    EXPECT_NEAR(result.scores.ate_aligned, aligned.ape_trans.rmse, 1e-9);
    EXPECT_NEAR(result.scores.are_aligned, aligned.ape_rot.rmse, 1e-6);
    EXPECT_NEAR(result.scores.scale, aligned.fitted_scale, 1e-9);
    EXPECT_GT(result.zero.t_rel, result.constant.t_rel);
    EXPECT_GT(result.wall_s, 0.0);
    EXPECT_EQ(result.calibration.rotation.size(), static_cast<size_t>(kCoverageLevels));
    EXPECT_TRUE(std::is_sorted(result.calibration.rotation.begin(), result.calibration.rotation.end()));
  }
  EXPECT_EQ(sequences[0].results.at(5).poses, 12);
  EXPECT_EQ(sequences[1].results.at(5).frames, 15);
}

TEST_F(SuiteRunnerTest, InvalidPosesEndOrDropASequence) {
  options_.datasets = {"tum-layout"};
  // 15 frames, ten a second; the tenth loses its pose.
  const auto truth = At("data/walk/groundtruth.txt");
  std::istringstream lines(ReadWholeFile(truth));
  std::string kept;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    if (++number != 10) kept += line + "\n";
  }
  std::ofstream(truth) << kept;
  EXPECT_EQ(Run().front().results.at(5).frames, 15);

  options_.output = At("truncated");
  options_.invalid_poses = InvalidPoses::kTruncate;
  const auto truncated = Run();
  ASSERT_EQ(truncated.size(), 1U);
  EXPECT_EQ(truncated[0].error, "");
  EXPECT_EQ(truncated[0].results.at(5).frames, 9);
  EXPECT_EQ(ReadTrajectory(At("truncated/tum-layout/walk/trajectory.tum")).size(), 9U);
  EXPECT_EQ(ReadTrajectory(At("truncated/tum-layout/walk/groundtruth.tum")).size(), 9U);
  EXPECT_EQ(Run()[0].results.at(5).frames, 9);

  options_.invalid_poses = InvalidPoses::kDrop;
  options_.output = At("dropped");
  testing::internal::CaptureStderr();
  EXPECT_TRUE(Run().empty());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("tum-layout/walk: dropped: some of its poses are invalid"));
}

TEST_F(SuiteRunnerTest, AResultThatLeadsNowhereIsAnError) {
  const auto link = At("out/tum-layout/walk/result.json");
  std::filesystem::create_directories(link.parent_path());
  std::filesystem::create_symlink("result.json", link);
  EXPECT_EQ(ErrorFrom([&] { Run(); }), link.string() + ": cannot be read: Too many levels of symbolic links");
}

TEST_F(SuiteRunnerTest, WhatIsDoneIsReadAndNotRunAgain) {
  options_.datasets = {"tum-layout"};
  const auto first = Run();
  // A second run would write it again.
  std::filesystem::remove(At("out/tum-layout/walk/trajectory.tum"));
  WriteRecording(At("data/second"), 9, 3);
  const auto again = Run();
  ASSERT_EQ(again.size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(At("out/tum-layout/walk/trajectory.tum")));
  EXPECT_EQ(again[0].found.name, "second");
  EXPECT_EQ(again[0].results.at(5).frames, 9);
  const SuiteResult& before = first[0].results.at(5);
  const SuiteResult& now = again[1].results.at(5);
  EXPECT_EQ(now.scores.t_rel, before.scores.t_rel);
  EXPECT_EQ(now.constant.are_aligned, before.constant.are_aligned);
  EXPECT_EQ(now.calibration.translation, before.calibration.translation);
  EXPECT_EQ(now.wall_s, before.wall_s);
  EXPECT_EQ(now.model_sha256, before.model_sha256);
}

TEST_F(SuiteRunnerTest, ResultsOfOtherSettingsAreNotMixedIn) {
  options_.datasets = {"tum"};
  options_.run.backend = "cpu";
  options_.run.precision = "f32";
  Run();
  const SuiteOptions same = options_;
  const auto refusal = [&](const RunOptions& run) {
    options_.run = run;
    const std::string message = ErrorFrom([&] { Run(); });
    options_ = same;
    return message;
  };
  RunOptions other = same.run;
  other.backend = "ref";
  EXPECT_THAT(refusal(other), testing::ContainsRegex(
                                  "has other settings \\(tiny [0-9a-f]{12}, cpu f32 "
                                  ".*, 1 threads, overlap 5; now tiny [0-9a-f]{12}, ref f32, overlap 5\\)"));
  other = same.run;
  other.threads = 2;
  EXPECT_THAT(refusal(other), HasSubstr("2 threads, overlap 5)"));
  other = same.run;
  other.overlap = 4;
  EXPECT_THAT(refusal(other), HasSubstr("1 threads, overlap 4)"));
  other.flip = true;
  EXPECT_THAT(refusal(other), HasSubstr("1 threads, overlap 4, flip)"));
  EXPECT_EQ(Run().size(), 1U);
  SaveModel(2);
  EXPECT_THAT(refusal(same.run), HasSubstr("has other settings (tiny "));
}

// Random weights have no hash: their name alone identifies them.
TEST_F(SuiteRunnerTest, ResultsOfAnotherSeedAreNotMixedIn) {
  options_.datasets = {"tum"};
  const auto path = At("out/tum/rgbd_dataset_freiburg1_xyz/result.json");
  SuiteResult result = Run()[0].results.at(5);
  result.model = "random:calfvo-s:1";
  result.model_sha256 = "";
  WriteSuiteResult(result, path);
  options_.run.model = "random:calfvo-s:2";
  EXPECT_THAT(ErrorFrom([&] { Run(); }), HasSubstr("(random:calfvo-s:1, "));
  EXPECT_THAT(ErrorFrom([&] { Run(); }), HasSubstr("; now random:calfvo-s:2, "));
  options_.run.model = "random:calfvo-s";
  EXPECT_EQ(Run()[0].results.at(5).model, "random:calfvo-s:1");
}

TEST_F(SuiteRunnerTest, AResultThatCannotBeReadIsNamed) {
  options_.datasets = {"tum"};
  const auto path = At("out/tum/rgbd_dataset_freiburg1_xyz/result.json");
  std::filesystem::create_directories(path.parent_path());
  WriteFile(path, "{\"model\": 3}");
  EXPECT_THAT(ErrorFrom([&] { Run(); }), HasSubstr("remove the file to run the sequence again"));
  std::filesystem::remove(path);
  SuiteResult result = Run()[0].results.at(5);
  std::string text = ReadWholeFile(path);
  const std::string key = "\"overlap\": 5";
  ASSERT_NE(text.find(key), std::string::npos);
  WriteFile(path, text.replace(text.find(key), key.size(), "\"overlap\": 5.9"));
  EXPECT_THAT(ErrorFrom([&] { Run(); }), HasSubstr("overlap is 5.9; expected a whole number"));
  WriteFile(path, std::string(2 << 20, ' '));
  EXPECT_THAT(ErrorFrom([&] { Run(); }), HasSubstr("has over 1 MiB; remove the file"));
}

TEST_F(SuiteRunnerTest, ResultsDescribeTheModel) {
  options_.datasets = {"tum"};
  ModelConfig config = TinyConfig();
  config.decoder.kind = DecoderKind::kFull;
  config.head.rotation = RotationHead::kEuler;
  config.head.confidence = false;
  SaveModelFile(config, *RandomModel(config, 1).weights, DType::kF32, At("tiny.safetensors"));
  Run();
  const auto path = At("out/tum/rgbd_dataset_freiburg1_xyz/result.json");
  SuiteResult result = ReadSuiteResult(path);
  EXPECT_EQ(result.design,
            (ModelDesign{EncoderKind::kPair, DecoderKind::kFull, RotationHead::kEuler, false}));
  std::string text = ReadWholeFile(path);
  EXPECT_THAT(text, HasSubstr("\"attention\": \"full\""));
  const std::string key = "\"euler\"";
  WriteFile(path, text.replace(text.find(key), key.size(), "\"angles\""));
  EXPECT_THAT(ErrorFrom([&] { Run(); }), HasSubstr("rotation is 'angles'; expected one of procrustes, "));
  // Those of earlier versions do not, and are good all the same.
  result.design.reset();
  WriteSuiteResult(result, path);
  EXPECT_THAT(ReadWholeFile(path), testing::Not(HasSubstr("design")));
  EXPECT_EQ(Run()[0].results.at(5).design, std::nullopt);
}

TEST_F(SuiteRunnerTest, ASequenceThatFailsDoesNotStopTheRest) {
  options_.datasets = {"tum-layout"};
  WriteRecording(At("data/broken_image"), 10, 1);
  WriteFile(At("data/broken_image/rgb/4.png"), "no image");
  WriteRecording(At("data/broken_truth"), 10, 1);
  WriteFile(At("data/broken_truth/groundtruth.txt"), "1 2 3\n");
  WriteRecording(At("data/no_truth"), 10, 1);
  std::filesystem::remove(At("data/no_truth/groundtruth.txt"));
  const auto sequences = Run();
  ASSERT_EQ(sequences.size(), 3U);  // one is left out
  EXPECT_THAT(sequences[0].error, HasSubstr("4.png"));
  EXPECT_EQ(sequences[0].frames, 10);
  EXPECT_TRUE(sequences[0].results.empty());
  EXPECT_THAT(sequences[1].error, HasSubstr("groundtruth.txt:1"));
  EXPECT_EQ(sequences[1].frames, 0);
  EXPECT_EQ(sequences[2].error, "");
  EXPECT_TRUE(sequences[2].results.contains(5));
  // Once repaired, it is run.
  WriteFile(At("data/broken_image/rgb/4.png"), TruePng(4));
  EXPECT_TRUE(Run()[0].results.contains(5));
}

TEST_F(SuiteRunnerTest, EachOverlapHasItsFolder) {
  options_.datasets = {"tum-layout"};
  options_.more_overlaps = {1, 5, 7};
  const auto sequences = Run();
  const auto& results = sequences[0].results;
  ASSERT_EQ(results.size(), 3U);
  // 15 frames: windows from 0 and 7; from 0, 3, 6 and 7; from 0 to 7.
  EXPECT_DOUBLE_EQ(results.at(1).estimates_per_pair, 2 * 7 / 14.0);
  EXPECT_DOUBLE_EQ(results.at(5).estimates_per_pair, 4 * 7 / 14.0);
  EXPECT_DOUBLE_EQ(results.at(7).estimates_per_pair, 8 * 7 / 14.0);
  EXPECT_TRUE(std::filesystem::exists(At("out/tum-layout/walk/overlap-7/result.json")));
  EXPECT_FALSE(std::filesystem::exists(At("out/tum-layout/walk/overlap-5")));
  options_.more_overlaps = {8};
  EXPECT_THAT(ErrorFrom([&] { Run(); }), HasSubstr("windows of 8 frames can share 1 to 7"));
}

TEST_F(SuiteRunnerTest, StoppedItLeavesTheRestForLater) {
  stop_ = true;
  const auto sequences = Run();
  ASSERT_EQ(sequences.size(), 2U);
  EXPECT_TRUE(sequences[0].results.empty());
  EXPECT_EQ(sequences[0].error, "");
}

}  // namespace
}  // namespace calfvo
