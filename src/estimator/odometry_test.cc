// SPDX-License-Identifier: Apache-2.0
#include "calfvo/odometry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <utility>
#include <vector>

#include "base/testing.h"
#include "estimator/tiny_model.h"
#include "frames/frame.h"
#include "plot/png.h"
#include "weights/model_file.h"

namespace calfvo {
namespace {

// A picture of one colour: resized it is the same whatever its shape, so that the shape is all that differs.
Frame PlainPicture(int number, int width, int height) {
  Frame frame{.width = width, .height = height};
  frame.rgb.assign(static_cast<size_t>(3 * width * height), static_cast<uint8_t>(37 * number));
  return frame;
}

class OdometryTest : public testing::Test {
 protected:
  static constexpr int kFrames = 12;

  OdometryTest() {
    ModelConfig config = TinyConfig();
    config.input.aspect = true;
    const ModelFile model = RandomModel(config, 3);
    options_.model = (folder_.path() / "tiny.safetensors").string();
    options_.backend = "ref";
    SaveModelFile(config, *model.weights, DType::kF32, options_.model);
  }

  // Where a video ends whose first picture has one size and whose others have another.
  static Eigen::Vector3d LastPosition(Odometry& odometry, std::pair<int, int> first,
                                      std::pair<int, int> others) {
    std::vector<PoseEstimate> poses;
    const auto keep = [&](std::vector<PoseEstimate> more) {
      poses.insert(poses.end(), more.begin(), more.end());
    };
    for (int i = 0; i < kFrames; ++i) {
      const auto [width, height] = i == 0 ? first : others;
      const Frame frame = PlainPicture(i, width, height);
      keep(odometry.Push({frame.rgb.data(), width, height}, i));
    }
    keep(odometry.Flush());
    EXPECT_EQ(poses.size(), kFrames);
    return poses.back().world_from_camera.translation;
  }

  Eigen::Vector3d LastPositionOfFiles(int width, int height) const {
    const auto pictures = folder_.path() / fmt::format("{}x{}", width, height);
    std::filesystem::create_directories(pictures);
    for (int i = 0; i < kFrames; ++i) {
      std::ofstream(pictures / fmt::format("{:02}.png", i), std::ios::binary)
          << EncodePng(PlainPicture(i, width, height).view());
    }
    return EstimateTrajectory(pictures.string(), {.odometry = options_}).world_from_camera.back().translation;
  }

  const TempFolder folder_;
  OdometryOptions options_;
};

TEST_F(OdometryTest, EveryVideoIsEstimatedInTheShapeOfItsFirstPicture) {
  Odometry odometry(options_);
  const Eigen::Vector3d square = LastPosition(odometry, {32, 32}, {32, 32});
  const Eigen::Vector3d wide = LastPosition(odometry, {64, 32}, {64, 32});
  EXPECT_NE(wide, square);
  EXPECT_EQ(LastPosition(odometry, {64, 32}, {32, 32}), wide);
  EXPECT_EQ(LastPosition(odometry, {48, 48}, {64, 32}), square);
  EXPECT_NE(LastPosition(odometry, {32, 64}, {32, 64}), square);
}

TEST_F(OdometryTest, LiveAndOfflineAgreeToTheBit) {
  Odometry odometry(options_);
  EXPECT_EQ(LastPositionOfFiles(64, 32), LastPosition(odometry, {64, 32}, {64, 32}));
  EXPECT_EQ(LastPositionOfFiles(32, 48), LastPosition(odometry, {32, 48}, {32, 48}));
}

}  // namespace
}  // namespace calfvo
