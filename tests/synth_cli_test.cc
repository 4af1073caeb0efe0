// SPDX-License-Identifier: Apache-2.0
// `calfvo synth` as users call it: files, determinism, messages and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calfvo/trajectory.h"
#include "clip_files.h"
#include "core/base/atomic_file.h"
#include "run_program.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SynthCli : public testing::Test {
 protected:
  Outcome Calfvo(const std::string& arguments) const { return RunCalfvo(folder_.path(), arguments); }
  std::filesystem::path At(const std::string& name) const { return folder_.path() / name; }

  // Names relative to the folder, in order, and their bytes.
  std::vector<std::pair<std::string, std::string>> Files(const std::string& name) const {
    std::vector<std::pair<std::string, std::string>> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(At(name))) {
      if (!entry.is_regular_file()) continue;
      files.emplace_back(entry.path().lexically_relative(At(name)).string(), ReadWholeFile(entry.path()));
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  const TempFolder folder_;
};

TEST_F(SynthCli, WritesTheLayout) {
  const Outcome outcome = Calfvo("synth room -o clip --frames 3 --size 64x48 --fps 12.5 --depth --flow");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err,
            CALFVO_HAS_VIDEO
                ? ""
                : "warning: video.mp4 is not written: this build has no FFmpeg with an H.264 encoder\n");
  EXPECT_THAT(outcome.out, HasSubstr("scene   room, "));
  EXPECT_THAT(outcome.out, HasSubstr("frames  3, 0.24 s at 25/2 fps"));
  EXPECT_THAT(outcome.out, HasSubstr("folder  clip: rgb/, depth/, flow/, rgb.txt, groundtruth.txt"));
  std::vector<std::string> names;
  for (const auto& [name, bytes] : Files("clip")) names.push_back(name);
  std::vector<std::string> expected = {
      "camera.json",     "depth.txt",       "depth/000000.png", "depth/000001.png", "depth/000002.png",
      "flow/000000.flo", "flow/000001.flo", "groundtruth.txt",  "rgb.txt",          "rgb/000000.png",
      "rgb/000001.png",  "rgb/000002.png",  "synth.json"};
  if (CALFVO_HAS_VIDEO) expected.push_back("video.mp4");
  EXPECT_EQ(names, expected);
  EXPECT_EQ(ReadWholeFile(At("clip/rgb.txt")),
            "# color images\n# made by calfvo synth\n# timestamp filename\n0.000000000 rgb/000000.png\n"
            "0.080000000 rgb/000001.png\n0.160000000 rgb/000002.png\n");
  const Trajectory truth = ReadTrajectory(At("clip/groundtruth.txt"));
  ASSERT_EQ(truth.size(), 3U);
  EXPECT_EQ(truth.timestamps_ns[1], 80'000'000);
  const PngFile rgb = ReadPngFile(At("clip/rgb/000002.png"));
  EXPECT_EQ(rgb.width, 64);
  EXPECT_EQ(rgb.height, 48);
  EXPECT_EQ(rgb.channels, 3);
  EXPECT_EQ(rgb.bits, 8);
  EXPECT_EQ(ReadPngFile(At("clip/depth/000002.png")).bits, 16);
  const auto made = nlohmann::json::parse(ReadWholeFile(At("clip/synth.json")));
  EXPECT_EQ(made["scene"], "room");
  EXPECT_EQ(made["frames"], 3);
  EXPECT_EQ(made["effects"]["noise_probability"], 0.0);
}

TEST_F(SynthCli, SameSeedSameBytesForAnyNumberOfThreads) {
  const std::string common = " --preset hard --frames 3 --size 50x38 --depth --flow --quiet --seed 11";
  ASSERT_EQ(Calfvo("synth any -o a --threads 1" + common).exit_code, 0);
  ASSERT_EQ(Calfvo("synth any -o b --threads 1" + common).exit_code, 0);
  ASSERT_EQ(Calfvo("synth any -o c --threads 2" + common).exit_code, 0);
  const auto files = Files("a");
  EXPECT_GE(files.size(), 13U);
  EXPECT_TRUE(files == Files("b"));
  EXPECT_TRUE(files == Files("c"));
}

TEST_F(SynthCli, SeedsDiffer) {
  for (const char* seed : {"1", "2", "18446744073709551615"}) {
    ASSERT_EQ(
        Calfvo(std::string("synth street -o ") + seed + " --frames 1 --size 40x30 --no-video --seed " + seed)
            .exit_code,
        0);
  }
  EXPECT_NE(ReadWholeFile(At("1/rgb/000000.png")), ReadWholeFile(At("2/rgb/000000.png")));
  EXPECT_NE(ReadWholeFile(At("1/groundtruth.txt")), ReadWholeFile(At("2/groundtruth.txt")));
}

TEST_F(SynthCli, OneFrameOddSizesAndQuiet) {
  const Outcome outcome =
      Calfvo("synth aerial-city -o clip --frames 1 --size 33x21 --fps 30000/1001 --quiet --depth --flow");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(ReadTrajectory(At("clip/groundtruth.txt")).size(), 1U);
  EXPECT_EQ(ReadPngFile(At("clip/rgb/000000.png")).width, 33);
  EXPECT_TRUE(std::filesystem::is_empty(At("clip/flow")));
}

TEST_F(SynthCli, LeavesOtherFilesAlone) {
  const std::string command = "synth room -o clip --size 32x24 --no-video --frames 1";
  ASSERT_EQ(Calfvo("synth room -o clip --size 32x24 --no-video --frames 2").exit_code, 0);
  const Outcome again = Calfvo(command);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(again.err, "error: clip: is not empty; choose another folder, or --overwrite\n");
  WriteFileAtomically(At("clip/notes.txt"), "mine");
  WriteFileAtomically(At("clip/rgb/mine.png"), "mine");
  ASSERT_EQ(Calfvo(command + " --overwrite").exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(At("clip/notes.txt")));
  EXPECT_TRUE(std::filesystem::exists(At("clip/rgb/mine.png")));
  EXPECT_FALSE(std::filesystem::exists(At("clip/rgb/000001.png")));  // of the longer clip before

  MakeFolder(At("photos/rgb"));
  const Outcome photos = Calfvo("synth room -o photos --frames 1 --size 32x24 --overwrite");
  EXPECT_EQ(photos.exit_code, 1);
  EXPECT_THAT(photos.err, HasSubstr("photos: holds no synth.json"));
  EXPECT_TRUE(std::filesystem::exists(At("photos/rgb")));
}

// When synth.json was about to appear, and after the files of the clip before had been removed.
TEST_F(SynthCli, RecoversFromAKillInItsFirstMoment) {
  MakeFolder(At("clip"));
  WriteFileAtomically(At("clip/.calfvo-0123456789abcdef.part"), "{");
  const std::string command = "synth room -o clip --size 32x24 --no-video --frames 1 --overwrite";
  ASSERT_EQ(Calfvo(command).exit_code, 0);
  for (const char* name : {"rgb", "rgb.txt", "camera.json", "groundtruth.txt"}) {
    std::filesystem::remove_all(At("clip") / name);
  }
  EXPECT_EQ(Calfvo(command).exit_code, 0);
}

TEST_F(SynthCli, WrongUsageIsExitCodeTwo) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"synth", "KIND is required"},
      {"synth room", "--output is required"},
      {"synth castle -o x", "castle not in {any,room,"},
      {"synth room -o x --motion swim", "swim not in {handheld,"},
      {"synth room -o x --size 640", "'640' is not a size like 640x480"},
      {"synth room -o x --size 4x4", "'4x4' is not a size like 640x480, with sides of 8 to 8192"},
      {"synth room -o x --size 64x48x2", "is not a size"},
      {"synth room -o x --fps fast", "frame rate 'fast' is not a number like 30"},
      {"synth room -o x --fps 1/2", "--fps: 1/2 is below 1"},
      {"synth room -o x --frames 0", "--frames: '0' is not a whole number from 1 to 10000000"},
      {"synth room -o x --seed -1", "'-1' is not a whole number from 0 to 2^64 - 1"},
      {"synth room -o x --depth-scale 1000", "--depth-scale: needs --depth"},
      {"synth room -o x --preset cinema",
       "unknown preset 'cinema'; known are clean, driving, drone, hard, phone, "},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = Calfvo(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    EXPECT_THAT(outcome.err, StartsWith("error: ")) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
  }
  EXPECT_FALSE(std::filesystem::exists(At("x")));
}

TEST_F(SynthCli, BadFilesAreExitCodeOne) {
  WriteFileAtomically(At("bad.toml"), "frames = 3\n[effects]\nmax_noise = 1000\n");
  WriteFileAtomically(At("file"), "");
  MakeFolder(At("empty"));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"-o x --preset bad.toml", "error: bad.toml:3: effects.max_noise: is 1000"},
      {"-o x --preset none.toml", "error: none.toml: cannot open the preset"},
      {"-o x --textures none", "none: "},
      {"-o x --textures empty", "empty: "},
      {"-o x --trajectories none", "none: "},
      {"-o x --trajectories empty", "empty: "},
      {"-o file", "error: file: "},
      {"-o file/x", "error: file/x: cannot make the folder"},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = Calfvo("synth room --frames 1 --size 32x24 " + arguments);
    EXPECT_EQ(outcome.exit_code, 1) << arguments;
    EXPECT_THAT(outcome.err, StartsWith("error: ")) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << arguments;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  EXPECT_FALSE(std::filesystem::exists(At("x")));
}

TEST_F(SynthCli, UnwritableFolderIsOneLine) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  MakeFolder(At("locked"));
  std::filesystem::permissions(At("locked"),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const Outcome outcome = Calfvo("synth room --frames 1 --size 32x24 -o locked");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("locked/synth.json: cannot open for writing: Permission denied"));
}

TEST_F(SynthCli, RecordedPathsAndTextures) {
  // A slow walk ahead with a slight turn, 60 poses.
  Trajectory path;
  for (int i = 0; i < 60; ++i) {
    path.timestamps_ns.push_back(int64_t{33'333'333} * i);
    path.world_from_camera.push_back({Quaternion(Eigen::AngleAxisd(0.002 * i, Eigen::Vector3d::UnitY())),
                                      Eigen::Vector3d(0.0, 0.0, 0.005 * i)});
  }
  MakeFolder(At("paths/walks"));
  WriteTrajectory(path, At("paths/walks/walk.txt"), TrajectoryFormat::kTum);
  MakeFolder(At("images"));
  ASSERT_EQ(Calfvo("synth room -o first --frames 1 --size 64x64 --no-video").exit_code, 0);
  std::filesystem::copy(At("first/rgb/000000.png"), At("images/a.png"));
  const Outcome outcome =
      Calfvo("synth room -o clip --frames 8 --size 32x24 --no-video --trajectories paths --textures images");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("recorded motion"));
  const Trajectory truth = ReadTrajectory(At("clip/groundtruth.txt"));
  const Rigid3 step = truth.world_from_camera[3].Inverse() * truth.world_from_camera[4];
  EXPECT_GT(step.translation.norm(), 0.0024);  // half to double rate
  EXPECT_LT(step.translation.norm(), 0.0101);
}

TEST_F(SynthCli, ListNamesScenesMotionsAndPresets) {
  const Outcome list = Calfvo("synth --list");
  EXPECT_EQ(list.exit_code, 0);
  for (const char* word : {"aerial-fields", "pure-rotation", "training", "geometry alone"}) {
    EXPECT_THAT(list.out, HasSubstr(word));
  }
  EXPECT_THAT(list.out, testing::Not(HasSubstr("cannot be read")));
}

}  // namespace
}  // namespace calfvo
