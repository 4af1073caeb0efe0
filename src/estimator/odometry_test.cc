// SPDX-License-Identifier: Apache-2.0
#include "calfvo/odometry.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <future>
#include <thread>
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
                                      std::pair<int, int> others, double pixel_aspect = 1.0) {
    std::vector<PoseEstimate> poses;
    const auto keep = [&](std::vector<PoseEstimate> more) {
      poses.insert(poses.end(), more.begin(), more.end());
    };
    for (int i = 0; i < kFrames; ++i) {
      const auto [width, height] = i == 0 ? first : others;
      const Frame frame = PlainPicture(i, width, height);
      keep(odometry.Push({frame.rgb.data(), width, height, /*stride=*/0, pixel_aspect}, i));
    }
    keep(odometry.Flush());
    EXPECT_EQ(poses.size(), kFrames);
    return poses.back().world_from_camera.translation;
  }

  // A folder of pictures.
  std::string WritePictures(int width, int height) const {
    const auto pictures = folder_.path() / fmt::format("{}x{}", width, height);
    std::filesystem::create_directories(pictures);
    for (int i = 0; i < kFrames; ++i) {
      std::ofstream(pictures / fmt::format("{:02}.png", i), std::ios::binary)
          << EncodePng(PlainPicture(i, width, height).view());
    }
    return pictures;
  }

  Eigen::Vector3d LastPositionOfFiles(int width, int height) const {
    return EstimateTrajectory(WritePictures(width, height), {.odometry = options_})
        .world_from_camera.back()
        .translation;
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

TEST_F(OdometryTest, PixelsNeedNotBeSquare) {
  Odometry odometry(options_);
  const Eigen::Vector3d wide = LastPosition(odometry, {64, 32}, {64, 32});
  EXPECT_EQ(LastPosition(odometry, {32, 32}, {32, 32}, 2.0), wide);
  EXPECT_EQ(LastPosition(odometry, {128, 32}, {128, 32}, 0.5), wide);
  EXPECT_EQ(LastPosition(odometry, {32, 64}, {32, 64}, 4.0), wide);

  const auto file = folder_.path() / "pixels_2_to_1.y4m";
  std::ofstream stream(file, std::ios::binary);
  stream << "YUV4MPEG2 W32 H32 F1000000:1 Cmono XCOLORRANGE=FULL A2:1\n";
  for (int i = 0; i < kFrames; ++i) stream << "FRAME\n" << std::string(32 * 32, static_cast<char>(37 * i));
  stream.close();
  EXPECT_EQ(EstimateTrajectory(file.string(), {.odometry = options_}).world_from_camera.back().translation,
            wide);
}

TEST_F(OdometryTest, TheNarrowestAndTheWidestPictureAreTaken) {
  Odometry odometry(options_);
  const Eigen::Vector3d narrow = LastPosition(odometry, {1, 16384}, {1, 16384}, 1.0 / 16);
  EXPECT_NE(LastPosition(odometry, {16384, 1}, {16384, 1}, 16.0), narrow);
}

TEST_F(OdometryTest, RefusesPixelsThatNoCameraHas) {
  Odometry odometry(options_);
  const Frame frame = PlainPicture(1, 4, 3);
  for (const double aspect : {0.0, -1.0, 0.06, 16.1, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT(ErrorFrom([&] {
                  odometry.Push({frame.rgb.data(), 4, 3, 0, aspect}, 0);
                }),
                testing::HasSubstr("1 / 16 to 16 expected"));
  }
}

TEST_F(OdometryTest, TheGivenRateIsExact) {
  const std::string pictures = WritePictures(64, 32);
  const auto times_ns = [&](double rate) {
    return EstimateTrajectory(pictures, {.odometry = options_, .frames_per_second = rate}).timestamps_ns;
  };
  const std::vector<int64_t> television = times_ns(30000.0 / 1001);
  const std::vector<int64_t> time_lapse = times_ns(1.0 / 60);
  for (int64_t i = 0; i < kFrames; ++i) {
    EXPECT_EQ(television[static_cast<size_t>(i)], (i * 1001 * 1'000'000'000 + 15000) / 30000);
    EXPECT_EQ(time_lapse[static_cast<size_t>(i)], i * 60'000'000'000);
  }
  EXPECT_EQ(ErrorFrom([&] { times_ns(-1.0); }), "frame rate -1 is not from 1/3600 to 1000");
}

TEST_F(OdometryTest, StoppedBeforeAnyFrameSaysSo) {
  const std::atomic<bool> stop = true;
  const std::string pictures = WritePictures(64, 32);
  const std::string video = folder_.path() / "video.mp4";
  const std::string stream = folder_.path() / "stream.y4m";
  std::ofstream(video, std::ios::binary) << std::string(
      "\0\0\0\x08"
      "free",
      8);
  std::ofstream(stream, std::ios::binary) << "YUV4MPEG2 W32 H32 Cmono\n";
  for (const std::string& input : {pictures, video, stream}) {
    EXPECT_EQ(ErrorFrom([&] { EstimateTrajectory(input, {.odometry = options_, .stop = &stop}); }),
              input + ": stopped before any frame was read");
  }
}

// Random weights would be there twice, and who cuts a file short that is in use ends the program.
TEST_F(OdometryTest, LetsGoOfTheModelsFile) {
  for (const char* backend : {"ref", "cpu"}) {
    options_.backend = backend;
    const Odometry odometry(options_);
    EXPECT_THAT(ReadWholeFile("/proc/self/maps"), testing::Not(testing::HasSubstr(options_.model)));
  }
}

TEST_F(OdometryTest, RefusesThreadsThatNoMachineHas) {
  for (const int threads : {-1, 1025, 40000}) {
    options_.threads = threads;
    EXPECT_EQ(ErrorFrom([&] { Odometry odometry(options_); }),
              fmt::format("threads is {}; expected 1 to 1024, or 0 for one per core", threads));
  }
}

TEST_F(OdometryTest, WhatPushRefusesChangesNothing) {
  const Frame frame = PlainPicture(1, 64, 32);
  const Picture good{frame.rgb.data(), 64, 32};
  const auto positions = [&](bool with_refused) {
    Odometry odometry(options_);
    std::vector<PoseEstimate> poses;
    for (int i = 0; i < kFrames; ++i) {
      if (with_refused) {
        EXPECT_EQ(ErrorFrom([&] { odometry.Push({.width = 64, .height = 32}, i); }),
                  "a picture of 64x32 without pixels: rgb is null");
        EXPECT_THAT(ErrorFrom([&] {
                      odometry.Push({frame.rgb.data(), 0, 0}, i);
                    }),
                    testing::HasSubstr("a picture of 0x0 with stride 0: sides of 1 to 16384 pixels"));
        EXPECT_THAT(ErrorFrom([&] {
                      odometry.Push({frame.rgb.data(), 64, 32, 10}, i);
                    }),
                    testing::HasSubstr("with stride 10"));
      }
      for (const PoseEstimate& pose : odometry.Push(good, i)) poses.push_back(pose);
      if (with_refused) {
        EXPECT_THAT(ErrorFrom([&] { odometry.Push(good, i); }), testing::HasSubstr("times must increase"));
      }
    }
    for (const PoseEstimate& pose : odometry.Flush()) poses.push_back(pose);
    return poses;
  };
  const auto clean = positions(false);
  const auto disturbed = positions(true);
  ASSERT_EQ(clean.size(), kFrames);
  ASSERT_EQ(disturbed.size(), kFrames);
  for (size_t i = 0; i < clean.size(); ++i) {
    EXPECT_EQ(clean[i].timestamp_ns, disturbed[i].timestamp_ns);
    EXPECT_EQ(clean[i].world_from_camera.translation, disturbed[i].world_from_camera.translation);
  }
}

TEST_F(OdometryTest, SaysWhatComputes) {
  EXPECT_EQ(Odometry(options_).backend(), "ref f32");
  options_.backend = "cpu";
  options_.precision = "f32";
  options_.threads = 2;
  EXPECT_THAT(Odometry(options_).backend(), testing::MatchesRegex("cpu f32 \\(.*\\), 2 threads"));
}

TEST_F(OdometryTest, SaysWhetherItKnowsHowSureItIs) {
  EXPECT_TRUE(Odometry(options_).has_confidence());
  ModelConfig config = TinyConfig();
  config.head.confidence = false;
  options_.model = (folder_.path() / "unsure.safetensors").string();
  SaveModelFile(config, *RandomModel(config, 3).weights, DType::kF32, options_.model);
  Odometry unsure(options_);
  EXPECT_FALSE(unsure.has_confidence());
  const Frame frame = PlainPicture(1, 64, 32);
  for (int i = 0; i < 3; ++i) unsure.Push({frame.rgb.data(), 64, 32}, i);
  for (const PoseEstimate& pose : unsure.Flush()) {
    EXPECT_EQ(pose.covariance, Matrix6::Zero());
    EXPECT_EQ(pose.sigma_translation_m, 0.0);
  }
}

TEST_F(OdometryTest, WhatTheCallersFunctionThrowsComesOut) {
  EstimateOptions options{.odometry = options_};
  options.on_progress = [](int64_t poses) {
    if (poses == 3) throw poses;
  };
  EXPECT_THROW(EstimateTrajectory(WritePictures(64, 32), options), int64_t);
}

TEST_F(OdometryTest, WhatTheCallersFunctionThrowsComesOutWhileAPipeStalls) {
  const std::string pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::promise<void> returned;
  bool in_time = false;
  std::thread writer([&] {
    std::ofstream stream(pipe, std::ios::binary);
    stream << "YUV4MPEG2 W32 H32 Cmono\n";
    for (int i = 0; i < 30; ++i) stream << "FRAME\n" << std::string(32 * 32, static_cast<char>(i));
    stream.flush();
    in_time = returned.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  });
  EstimateOptions options{.odometry = options_};
  options.on_progress = [](int64_t poses) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // until nothing is left to read
    throw poses;
  };
  EXPECT_THROW(EstimateTrajectory(pipe, options), int64_t);
  returned.set_value();
  writer.join();
  EXPECT_TRUE(in_time);
}

TEST_F(OdometryTest, LiveAndOfflineAgreeToTheBit) {
  Odometry odometry(options_);
  EXPECT_EQ(LastPositionOfFiles(64, 32), LastPosition(odometry, {64, 32}, {64, 32}));
  EXPECT_EQ(LastPositionOfFiles(32, 48), LastPosition(odometry, {32, 48}, {32, 48}));
  options_.mirror = true;
  Odometry with_mirror(options_);
  const Eigen::Vector3d last = LastPosition(with_mirror, {32, 48}, {32, 48});
  EXPECT_EQ(LastPositionOfFiles(32, 48), last);
  EXPECT_NE(LastPosition(odometry, {32, 48}, {32, 48}), last);
}

}  // namespace
}  // namespace calfvo
