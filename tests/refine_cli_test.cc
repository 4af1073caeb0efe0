// SPDX-License-Identifier: Apache-2.0
// `calfvo run --refine` as users call it: files, run.json, determinism, wrong usage.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/image/png.h"
#include "nn/architecture/model_file.h"
#include "refine/refiner.h"
#include "run_program.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

class RefineCli : public testing::Test {
 protected:
  RefineCli() {
    const ModelFile model = RandomModel(TinyConfig(), 1);
    SaveModelFile(model.config, *model.weights, DType::kF32, folder_.path() / "tiny.safetensors");
  }
  Outcome Calfvo(const std::string& arguments) const { return RunCalfvo(folder_.path(), arguments); }
  std::string Text(const std::string& name) const { return ReadWholeFile(folder_.path() / name); }

  const TempFolder folder_;
};

TEST_F(RefineCli, WritesPosesCameraMapAndReport) {
  if (!CanRefine()) GTEST_SKIP() << "built without refinement";
  ASSERT_EQ(Calfvo("synth room --size 160x120 --frames 24 --no-video --quiet -o clip").exit_code, 0);
  const std::string run = "run clip --model tiny.safetensors --quiet --no-page ";
  ASSERT_EQ(Calfvo(run + "-o plain").exit_code, 0);
  const Outcome outcome = Calfvo(run + "--refine --threads 1 -o one");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(Calfvo(run + "--refine --threads 2 -o two").exit_code, 0);
  // A run over an earlier one replaces its files.
  ASSERT_EQ(Calfvo(run + "--refine --threads 2 -o two").exit_code, 0);
  for (const char* file : {"trajectory.tum", "poses.csv", "network.tum", "camera.json", "points.ply",
                           "loops.csv", "map.svg", "refine.svg"}) {
    EXPECT_EQ(Text(std::string("one/") + file), Text(std::string("two/") + file)) << file;
    EXPECT_FALSE(Text(std::string("one/") + file).empty()) << file;
  }
  // The network's own path is that of a run without refinement.
  EXPECT_EQ(Text("one/network.tum"), Text("plain/trajectory.tum"));
  EXPECT_THAT(Text("one/poses.csv"), HasSubstr(",flags,refine_weight\n"));
  EXPECT_THAT(Text("plain/poses.csv"), testing::Not(HasSubstr("refine_weight")));
  const auto json = nlohmann::json::parse(Text("one/run.json"));
  for (const char* key :
       {"accepted_share", "focal_px", "focal_sigma_px", "principal_point", "readout_frames", "distortion",
        "distortion_sigma", "scale", "warnings", "tracks_per_frame", "points", "loops", "seconds"}) {
    EXPECT_TRUE(json["refine"].contains(key)) << key;
  }
  EXPECT_EQ(json["poses"], 24);
}

TEST_F(RefineCli, LiveRunsGiveEveryPose) {
  if (!CanRefine()) GTEST_SKIP() << "built without refinement";
  ASSERT_EQ(Calfvo("synth room --size 160x120 --frames 24 --no-video --quiet -o clip").exit_code, 0);
  ASSERT_EQ(Calfvo("run clip --model tiny.safetensors --quiet --refine --live -o live").exit_code, 0);
  EXPECT_EQ(nlohmann::json::parse(Text("live/run.json"))["poses"], 24);
}

TEST_F(RefineCli, MasksHideWhatIsBlack) {
  if (!CanRefine()) GTEST_SKIP() << "built without refinement";
  ASSERT_EQ(Calfvo("synth room --size 160x120 --frames 24 --no-video --quiet -o clip").exit_code, 0);
  const auto image = [&](const std::string& name, uint8_t value) {
    const std::vector<uint8_t> pixels(3, value);
    WritePng(folder_.path() / name, {.width = 1, .height = 1, .pixels = pixels.data(), .stride = 3});
  };
  image("white.png", 255);
  image("black.png", 0);
  const std::string run = "run clip --model tiny.safetensors --quiet --no-page --refine ";
  ASSERT_EQ(Calfvo(run + "-o plain").exit_code, 0);
  const Outcome white = Calfvo(run + "--mask white.png -o white");
  ASSERT_EQ(white.exit_code, 0) << white.err;
  EXPECT_EQ(Text("white/poses.csv"), Text("plain/poses.csv"));
  EXPECT_GT(nlohmann::json::parse(Text("white/run.json"))["refine"]["tracks_per_frame"], 10.0);

  ASSERT_EQ(Calfvo(run + "--mask black.png -o black").exit_code, 0);
  const auto refined = nlohmann::json::parse(Text("black/run.json"));
  EXPECT_EQ(refined["refine"]["tracks_per_frame"], 0.0);
  EXPECT_EQ(refined["refine"]["points"], 0);
  EXPECT_EQ(refined["options"]["mask"], "black.png");

  // One per frame of the input, which --stride counts too; a missing one ends the run like a damaged input.
  std::filesystem::create_directory(folder_.path() / "masks");
  for (int i = 0; i < 20; ++i) image(fmt::format("masks/{:03}.png", i), i < 12 ? 255 : 0);
  const Outcome few = Calfvo(run + "--mask masks -o few");
  EXPECT_EQ(few.exit_code, 1);
  EXPECT_THAT(few.err, HasSubstr("masks: has 20 masks, but none for frame 20"));
  ASSERT_EQ(Calfvo(run + "--mask masks --stride 2 --end 0.5 -o stride").exit_code, 0);
  const double seen = nlohmann::json::parse(Text("stride/run.json"))["refine"]["tracks_per_frame"];
  ASSERT_EQ(Calfvo(run + "--stride 2 --end 0.5 -o all").exit_code, 0);
  const double all = nlohmann::json::parse(Text("all/run.json"))["refine"]["tracks_per_frame"];
  EXPECT_LT(seen, 0.9 * all);
  EXPECT_GT(seen, 0.5 * all);
}

// The network sees masked regions filled, refined or not.
TEST_F(RefineCli, MasksNeedNoRefinement) {
  ASSERT_EQ(Calfvo("synth room --size 160x120 --frames 12 --no-video --quiet -o clip").exit_code, 0);
  const std::vector<uint8_t> pixels = {0, 0, 0, 255, 255, 255};
  WritePng(folder_.path() / "half.png", {.width = 2, .height = 1, .pixels = pixels.data(), .stride = 6});
  const std::string run = "run clip --model tiny.safetensors --quiet --no-page ";
  ASSERT_EQ(Calfvo(run + "-o plain").exit_code, 0);
  const Outcome masked = Calfvo(run + "--mask half.png -o masked");
  ASSERT_EQ(masked.exit_code, 0) << masked.err;
  EXPECT_NE(Text("masked/trajectory.tum"), Text("plain/trajectory.tum"));
  if (!CanRefine()) return;
  ASSERT_EQ(Calfvo(run + "--mask half.png --refine -o refined").exit_code, 0);
  EXPECT_EQ(Text("refined/network.tum"), Text("masked/trajectory.tum"));
}

TEST_F(RefineCli, OptionsNeedRefine) {
  for (const char* option :
       {"--focal 500", "--fov 60", "--no-loops", "--camera-height 1.5", "--distance 1:2:3"}) {
    const Outcome outcome = Calfvo(std::string("run clip ") + option);
    EXPECT_EQ(outcome.exit_code, 2) << option;
    EXPECT_THAT(outcome.err, HasSubstr("needs --refine"));
  }
  EXPECT_EQ(Calfvo("run clip --refine --focal 500 --fov 60").exit_code, 2);
  EXPECT_EQ(Calfvo("run clip --refine --fov 190").exit_code, 2);
  EXPECT_EQ(Calfvo("run clip --refine --camera-height 1.5 --distance 1:2:3").exit_code, 2);
  EXPECT_EQ(Calfvo("run clip --refine --live --camera-height 1.5").exit_code, 2);
  for (const char* distance : {"1:2", "2:1:3", "a:2:3", "1:2:0", "1:2:3:4", ""}) {
    EXPECT_EQ(Calfvo(std::string("run clip --refine --distance '") + distance + "'").exit_code, 2)
        << distance;
  }
}

}  // namespace
}  // namespace calfvo
