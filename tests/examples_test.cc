// SPDX-License-Identifier: Apache-2.0
// The programs of examples/, run on a small clip with a tiny network of random weights.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "nn/architecture/model_file.h"
#include "run_program.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Examples : public testing::Test {
 protected:
  static constexpr int kFrames = 12;

  Examples() {
    const ModelFile model = RandomModel(TinyConfig(), 1);
    SaveModelFile(model.config, *model.weights, DType::kF32, folder_.path() / "tiny.safetensors");
    const Outcome clip = RunCalfvo(folder_.path(), "synth room --size 64x48 --quiet --frames 12 -o clip");
    EXPECT_EQ(clip.exit_code, 0) << clip.err;
    const Outcome run = RunCalfvo(folder_.path(), "run --model tiny.safetensors --quiet clip -o out");
    EXPECT_EQ(run.exit_code, 0) << run.err;
  }

  static bool Has(const std::string& example) {
    return std::filesystem::exists(std::filesystem::path(CALFVO_EXAMPLES) / example);
  }
  std::string Run(const std::string& command) const {
    const Outcome outcome = RunProgram(folder_.path(), CALFVO_EXAMPLES "/" + command);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  static std::ptrdiff_t Count(const std::string& text, const std::string& start) {
    std::istringstream lines(text);
    std::ptrdiff_t count = 0;
    for (std::string line; std::getline(lines, line);) count += line.starts_with(start) ? 1 : 0;
    return count;
  }
  std::string Text(const std::string& name) const { return ReadWholeFile(folder_.path() / name); }

  const TempFolder folder_;
};

TEST_F(Examples, WholeVideoGivesTheProgramsBytes) {
  EXPECT_THAT(Run("01_whole_video clip api.tum tiny.safetensors"), StartsWith("12 poses"));
  EXPECT_EQ(Text("api.tum"), Text("out/trajectory.tum"));
  EXPECT_EQ(
      RunProgram(folder_.path(), CALFVO_EXAMPLES "/01_whole_video none api.tum tiny.safetensors").exit_code,
      1);
}

TEST_F(Examples, LiveCameraPrintsEveryPose) {
  const std::string out = Run("02_live_camera clip tiny.safetensors");
  EXPECT_EQ(Count(out, "final"), kFrames);
  EXPECT_EQ(Count(out, "newest"), kFrames);
}

TEST_F(Examples, OpenCvImagesAreRead) {
  if (!Has("03_opencv")) GTEST_SKIP() << "built without OpenCV";
  const std::string out = Run("03_opencv 'clip/rgb/*.png' tiny.safetensors");
  EXPECT_EQ(Count(out, ""), kFrames);
  // The last position that the program estimates, to a millimetre.
  const std::string poses = Text("out/trajectory.tum");
  std::istringstream last(poses.substr(poses.rfind('\n', poses.size() - 2) + 1));
  double time = 0, x = 0, y = 0, z = 0;
  last >> time >> x >> y >> z;
  char expected[64];
  std::snprintf(expected, sizeof expected, "t = (%.3f, %.3f, %.3f) m", x, y, z);
  EXPECT_THAT(out, HasSubstr(expected));
}

TEST_F(Examples, ManyCamerasGiveWhatEachGivesAlone) {
  const std::string out = Run("04_many_cameras tiny.safetensors clip clip");
  const size_t first = out.find("clip ends at");
  const size_t second = out.find("clip ends at", first + 1);
  ASSERT_NE(second, std::string::npos) << out;
  EXPECT_EQ(out.substr(first, 40), out.substr(second, 40));
}

TEST_F(Examples, PoseGraphMovesTheEndToTheKnownPosition) {
  if (!Has("05_pose_graph")) GTEST_SKIP() << "built without Ceres";
  EXPECT_THAT(Run("05_pose_graph clip 0.5 -0.25 1.5 tiny.safetensors"),
              HasSubstr("after: 0.5000 -0.2500 1.5000 m"));
}

TEST_F(Examples, EvaluationPrintsEachAlignment) {
  const std::string out = Run("06_evaluation clip clip/groundtruth.txt tiny.safetensors");
  EXPECT_THAT(out, StartsWith("origin: 12 pairs"));
  EXPECT_EQ(Count(out, "sim3: 12 pairs"), 1);
}

}  // namespace
}  // namespace calfvo
