// SPDX-License-Identifier: Apache-2.0
#include "calfvo/odometry.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <array>

#include <chrono>
#include <cmath>
#include <fstream>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/testing.h"
#include "core/image/frame.h"
#include "core/image/png.h"
#include "nn/architecture/model_file.h"
#include "nn/weights/memory_weights.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

// An image of one colour: resized it is the same whatever its shape, so that the shape is all that differs.
Frame PlainImage(int number, int width, int height) {
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
    options_.name = (folder_.path() / "tiny.safetensors").string();
    options_.backend = BackendType::kReference;
    SaveModelFile(config, *model.weights, DType::kF32, options_.name);
  }

  // Where a video ends whose first image has one size and whose others have another.
  static Eigen::Vector3d LastPosition(Odometry& odometry, std::pair<int, int> first,
                                      std::pair<int, int> others, double pixel_aspect = 1.0) {
    std::vector<PoseEstimate> poses;
    const auto keep = [&](std::vector<PoseEstimate> more) {
      poses.insert(poses.end(), more.begin(), more.end());
    };
    for (int i = 0; i < kFrames; ++i) {
      const auto [width, height] = i == 0 ? first : others;
      const Frame frame = PlainImage(i, width, height);
      ImageView view = frame.view();
      view.pixel_aspect = pixel_aspect;
      keep(odometry.AddFrame(view, i));
    }
    keep(odometry.Flush());
    EXPECT_EQ(poses.size(), kFrames);
    return poses.back().world_from_camera.translation;
  }

  // A folder of images.
  std::string WriteImages(int width, int height) const {
    const auto images = folder_.path() / fmt::format("{}x{}", width, height);
    std::filesystem::create_directories(images);
    for (int i = 0; i < kFrames; ++i) {
      std::ofstream(images / fmt::format("{:02}.png", i), std::ios::binary)
          << EncodePng(PlainImage(i, width, height).view());
    }
    return images;
  }

  Eigen::Vector3d LastPositionOfFiles(int width, int height) const {
    return EstimateTrajectory(Model(options_), WriteImages(width, height))
        .world_from_camera.back()
        .translation;
  }

  const TempFolder folder_;
  ModelOptions options_;
};

TEST_F(OdometryTest, EveryVideoIsEstimatedInTheShapeOfItsFirstImage) {
  Odometry odometry{Model(options_)};
  const Eigen::Vector3d square = LastPosition(odometry, {32, 32}, {32, 32});
  const Eigen::Vector3d wide = LastPosition(odometry, {64, 32}, {64, 32});
  EXPECT_NE(wide, square);
  EXPECT_EQ(LastPosition(odometry, {64, 32}, {32, 32}), wide);
  EXPECT_EQ(LastPosition(odometry, {48, 48}, {64, 32}), square);
  EXPECT_NE(LastPosition(odometry, {32, 64}, {32, 64}), square);
}

TEST_F(OdometryTest, PixelsNeedNotBeSquare) {
  Odometry odometry{Model(options_)};
  const Eigen::Vector3d wide = LastPosition(odometry, {64, 32}, {64, 32});
  EXPECT_EQ(LastPosition(odometry, {32, 32}, {32, 32}, 2.0), wide);
  EXPECT_EQ(LastPosition(odometry, {128, 32}, {128, 32}, 0.5), wide);
  EXPECT_EQ(LastPosition(odometry, {32, 64}, {32, 64}, 4.0), wide);

  const auto file = folder_.path() / "pixels_2_to_1.y4m";
  std::ofstream stream(file, std::ios::binary);
  stream << "YUV4MPEG2 W32 H32 F1000000:1 Cmono XCOLORRANGE=FULL A2:1\n";
  for (int i = 0; i < kFrames; ++i) stream << "FRAME\n" << std::string(32 * 32, static_cast<char>(37 * i));
  stream.close();
  EXPECT_EQ(EstimateTrajectory(Model(options_), file.string()).world_from_camera.back().translation, wide);
}

TEST_F(OdometryTest, TheNarrowestAndTheWidestImageAreTaken) {
  Odometry odometry{Model(options_)};
  const Eigen::Vector3d narrow = LastPosition(odometry, {1, 16384}, {1, 16384}, 1.0 / 16);
  EXPECT_NE(LastPosition(odometry, {16384, 1}, {16384, 1}, 16.0), narrow);
}

TEST_F(OdometryTest, TheGivenRateIsExact) {
  const std::string images = WriteImages(64, 32);
  const auto times_ns = [&](double rate) {
    return EstimateTrajectory(Model(options_), images, {.frames = {.frames_per_second = rate}}).timestamps_ns;
  };
  const std::vector<int64_t> television = times_ns(30000.0 / 1001);
  const std::vector<int64_t> time_lapse = times_ns(1.0 / 60);
  for (int64_t i = 0; i < kFrames; ++i) {
    EXPECT_EQ(television[static_cast<size_t>(i)], (i * 1001 * 1'000'000'000 + 15000) / 30000);
    EXPECT_EQ(time_lapse[static_cast<size_t>(i)], i * 60'000'000'000);
  }
  EXPECT_EQ(ErrorFrom([&] { times_ns(-1.0); }), "frame rate -1 is not from 1/3600 to 1000");
}

TEST_F(OdometryTest, StoppedBeforeAnyFrameIsAnError) {
  const std::atomic<bool> stop = true;
  const std::string images = WriteImages(64, 32);
  const std::string video = folder_.path() / "video.mp4";
  const std::string stream = folder_.path() / "stream.y4m";
  std::ofstream(video, std::ios::binary) << std::string(
      "\0\0\0\x08"
      "free",
      8);
  std::ofstream(stream, std::ios::binary) << "YUV4MPEG2 W32 H32 Cmono\n";
  for (const std::string& input : {images, video, stream}) {
    EXPECT_EQ(ErrorFrom([&] { EstimateTrajectory(Model(options_), input, {.frames = {.stop = &stop}}); }),
              input + ": stopped before any frame was read");
  }
}

// Random weights would be there twice, and who cuts a file short that is in use ends the program.
TEST_F(OdometryTest, LetsGoOfTheModelsFile) {
  for (const BackendType backend : {BackendType::kReference, BackendType::kCpu}) {
    options_.backend = backend;
    const Odometry odometry{Model(options_)};
    EXPECT_THAT(ReadWholeFile("/proc/self/maps"), testing::Not(testing::HasSubstr(options_.name)));
  }
}

TEST_F(OdometryTest, WhatAddFrameRefusesChangesNothing) {
  const Frame frame = PlainImage(1, 64, 32);
  ImageView narrow = frame.view();
  narrow.stride = 10;
  const auto estimate = [&](bool with_refused) {
    Odometry odometry{Model(options_)};
    std::vector<PoseEstimate> poses;
    for (int i = 0; i < kFrames; ++i) {
      if (with_refused) {
        EXPECT_THAT(ErrorFrom([&] { odometry.AddFrame({.width = 64, .height = 32}, i); }),
                    testing::HasSubstr("pixels is null"));
        EXPECT_THAT(ErrorFrom([&] { odometry.AddFrame(narrow, i); }), testing::HasSubstr("stride is 10"));
      }
      for (const PoseEstimate& pose : odometry.AddFrame(frame.view(), i)) poses.push_back(pose);
      if (with_refused) {
        EXPECT_THAT(ErrorFrom([&] { odometry.AddFrame(frame.view(), i); }),
                    testing::HasSubstr("times must increase"));
      }
    }
    for (const PoseEstimate& pose : odometry.Flush()) poses.push_back(pose);
    return poses;
  };
  const auto clean = estimate(false);
  const auto disturbed = estimate(true);
  ASSERT_EQ(clean.size(), kFrames);
  ASSERT_EQ(disturbed.size(), kFrames);
  for (size_t i = 0; i < clean.size(); ++i) {
    EXPECT_EQ(clean[i].timestamp_ns, disturbed[i].timestamp_ns);
    EXPECT_EQ(clean[i].world_from_camera.translation, disturbed[i].world_from_camera.translation);
  }
}

TEST_F(OdometryTest, NamesTheOptionThatIsWrong) {
  const Model model(options_);
  EXPECT_EQ(ErrorFrom([&] { Odometry(model, {.overlap = 8}); }),
            "overlap is 8: windows of 8 frames can share 1 to 7");
  EXPECT_THAT(ErrorFrom([&] { EstimateTrajectory(model, "none", {.odometry = {.overlap = 0}}); }),
              testing::HasSubstr("overlap is 0"));
  EXPECT_THAT(ErrorFrom([&] { EstimateTrajectory(model, "none", {.frames = {.stride = 0}}); }),
              testing::HasSubstr("stride is 0"));
}

TEST_F(OdometryTest, WithoutUncertaintyCovariancesAreZero) {
  ModelConfig config = TinyConfig();
  config.head.confidence = false;
  options_.name = (folder_.path() / "unsure.safetensors").string();
  SaveModelFile(config, *RandomModel(config, 3).weights, DType::kF32, options_.name);
  Odometry unsure{Model(options_)};
  EXPECT_FALSE(unsure.model().has_confidence());
  const Frame frame = PlainImage(1, 64, 32);
  for (int i = 0; i < 3; ++i) unsure.AddFrame(frame.view(), i);
  for (const PoseEstimate& pose : unsure.Flush()) {
    EXPECT_EQ(pose.covariance, Matrix6::Zero());
    EXPECT_EQ(pose.relative_covariance, Matrix6::Zero());
    EXPECT_FALSE(pose.is_static);
  }
}

// The same colours in every format give the same pose; so do rows with gaps between them.
TEST_F(OdometryTest, PixelFormatsAgree) {
  options_.threads = 1;
  const Model model(options_);
  const auto end = [&](PixelFormat format, ptrdiff_t gap, bool flip) {
    Odometry odometry(model, {.flip = flip});
    for (int i = 0; i < 3; ++i) {
      const int width = 33, height = 17;
      const ptrdiff_t stride = RowBytes(format, width) + gap;
      std::vector<uint8_t> bytes(static_cast<size_t>(stride) * height, 0xEE);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          const auto colour = static_cast<uint8_t>(x * 5 + y * 3 + i * 20);
          const auto bytes_of_pixel = static_cast<size_t>(RowBytes(format, 1));
          for (size_t c = 0; c < bytes_of_pixel; ++c) {
            bytes[static_cast<size_t>(y * stride) + static_cast<size_t>(x) * bytes_of_pixel + c] = colour;
          }
        }
      }
      odometry.AddFrame({width, height, format, bytes.data(), stride}, i);
    }
    return odometry.Flush().back().world_from_camera.translation;
  };
  for (const bool flip : {false, true}) {
    const Eigen::Vector3d expected = end(PixelFormat::kRgb8, 0, flip);
    for (const PixelFormat format : {PixelFormat::kRgb8, PixelFormat::kBgr8, PixelFormat::kRgba8,
                                     PixelFormat::kBgra8, PixelFormat::kGray8, PixelFormat::kGray16}) {
      EXPECT_EQ(end(format, 0, flip), expected) << PixelFormatName(format);
      EXPECT_EQ(end(format, 10, flip), expected) << PixelFormatName(format);
    }
  }
}

TEST_F(OdometryTest, RelativePosesCompose) {
  Odometry odometry{Model(options_)};
  std::vector<PoseEstimate> poses;
  for (int i = 0; i < kFrames; ++i) {
    const Frame frame = PlainImage(i, 64, 32);
    for (PoseEstimate& pose : odometry.AddFrame(frame.view(), i)) poses.push_back(pose);
  }
  for (PoseEstimate& pose : odometry.Flush()) poses.push_back(pose);
  EXPECT_EQ(poses[0].windows, 0);
  EXPECT_EQ(poses[0].previous_from_current.translation, Eigen::Vector3d::Zero());
  for (size_t i = 1; i < poses.size(); ++i) {
    const Rigid3 composed = poses[i - 1].world_from_camera * poses[i].previous_from_current;
    EXPECT_LT((composed.translation - poses[i].world_from_camera.translation).norm(), 1e-12);
    EXPECT_GT(poses[i].windows, 0);
    const Vector6 variances = poses[i].relative_covariance.diagonal();
    EXPECT_GT(variances[0], 0.0);
    EXPECT_EQ(variances[0], variances[2]);
    EXPECT_EQ(variances[3], variances[5]);
    // The first pose has no error, so the second's is that of the relative pose, turned.
    if (i == 1) {
      EXPECT_NEAR(poses[i].covariance.trace(), poses[i].relative_covariance.trace(), 1e-12);
    }
  }
}

// The provisional pose of a frame is its final pose if the video ends there, and asking changes no final
// pose.
TEST_F(OdometryTest, ProvisionalPosesAreThoseOfAVideoThatEndsThere) {
  const Model model(options_);
  Odometry asked(model), other(model);
  EXPECT_FALSE(asked.EstimateNewest().has_value());
  std::vector<PoseEstimate> final_poses, expected_final;
  const auto append = [](std::vector<PoseEstimate> more, std::vector<PoseEstimate>& to) {
    to.insert(to.end(), more.begin(), more.end());
  };
  for (int i = 0; i < kFrames; ++i) {
    append(asked.AddFrame(PlainImage(i, 64, 32).view(), 100 + i), final_poses);
    const PoseEstimate newest = asked.EstimateNewest().value();
    for (int j = 0; j <= i; ++j) other.AddFrame(PlainImage(j, 64, 32).view(), 100 + j);
    const std::vector<PoseEstimate> flushed = other.Flush();
    EXPECT_TRUE(newest.is_provisional);
    EXPECT_EQ(newest.timestamp_ns, 100 + i);
    if (i == 0) continue;
    EXPECT_EQ(newest.world_from_camera.translation, flushed.back().world_from_camera.translation) << i;
    EXPECT_EQ(newest.covariance, flushed.back().covariance) << i;
    EXPECT_EQ(newest.windows, flushed.back().windows) << i;
  }
  append(asked.Flush(), final_poses);
  for (int i = 0; i < kFrames; ++i)
    append(other.AddFrame(PlainImage(i, 64, 32).view(), 100 + i), expected_final);
  append(other.Flush(), expected_final);
  ASSERT_EQ(final_poses.size(), expected_final.size());
  for (size_t i = 0; i < final_poses.size(); ++i) {
    EXPECT_EQ(final_poses[i].world_from_camera.translation, expected_final[i].world_from_camera.translation);
    EXPECT_FALSE(final_poses[i].is_provisional);
  }
}

TEST_F(OdometryTest, ResetBeginsANewVideo) {
  Odometry odometry{Model(options_)};
  const Eigen::Vector3d expected = LastPosition(odometry, {64, 32}, {64, 32});
  for (int i = 0; i < 10; ++i) odometry.AddFrame(PlainImage(i, 32, 32).view(), 1000 + i);
  odometry.Reset();
  EXPECT_FALSE(odometry.EstimateNewest().has_value());
  EXPECT_TRUE(odometry.Flush().empty());
  EXPECT_EQ(LastPosition(odometry, {64, 32}, {64, 32}), expected);  // whose times are smaller
}

// Weights whose outputs overflow, as those of a damaged file do.
TEST_F(OdometryTest, AfterAnErrorANewVideoBegins) {
  const ModelConfig config = TinyConfig();
  const ModelFile model = RandomModel(config, 3);
  MemoryWeights weights("damaged");
  for (const std::string& name : model.weights->names()) {
    Tensor tensor = CopyOf(*model.weights->Find(name));
    if (name.starts_with("head")) {
      for (float& value : tensor.MutableData<float>()) value = 3e38F;
    }
    weights.Add(name, std::move(tensor));
  }
  options_.name = (folder_.path() / "nan.safetensors").string();
  SaveModelFile(config, weights, DType::kF32, options_.name);
  Odometry odometry{Model(options_)};
  for (int video = 0; video < 2; ++video) {
    for (int i = 0; i < 7; ++i) odometry.AddFrame(PlainImage(i, 64, 32).view(), i);
    EXPECT_THAT(ErrorFrom([&] { odometry.AddFrame(PlainImage(7, 64, 32).view(), 7); }),
                testing::HasSubstr("weights are damaged"));
  }
  EXPECT_TRUE(odometry.Flush().empty());
}

TEST_F(OdometryTest, WhatTheCallersFunctionThrowsComesOut) {
  EstimateOptions options;
  options.on_pose = [](const PoseEstimate& pose) {
    if (pose.timestamp_ns > 50'000'000) throw pose.timestamp_ns;
  };
  EXPECT_THROW(EstimateTrajectory(Model(options_), WriteImages(64, 32), options), int64_t);
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
  EstimateOptions options;
  options.on_pose = [](const PoseEstimate& pose) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // until nothing is left to read
    throw pose.timestamp_ns;
  };
  EXPECT_THROW(EstimateTrajectory(Model(options_), pipe, options), int64_t);
  returned.set_value();
  writer.join();
  EXPECT_TRUE(in_time);
}

// Several threads, each with an object of its own or one that shares a model, give what one gives alone.
TEST_F(OdometryTest, ObjectsInSeveralThreadsAreIndependent) {
  options_.backend = BackendType::kCpu;
  options_.threads = 2;
  const Model shared(options_);
  const auto last_position = [&](int width, bool own_model) {
    Odometry odometry{own_model ? Model(options_) : shared};
    return LastPosition(odometry, {width, 48}, {width, 48});
  };
  constexpr int kWidths[] = {64, 64, 80, 48};
  std::array<Eigen::Vector3d, 4> alone;
  std::array<Eigen::Vector3d, 4> together;
  for (size_t i = 0; i < 4; ++i) alone[i] = last_position(kWidths[i], true);
  for (const bool own_model : {true, false}) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] { together[i] = last_position(kWidths[i], own_model); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(together, alone);
  }
}

// A video that waits for its next frame has windows in the network; other videos go on.
TEST_F(OdometryTest, VideosThatShareAModelDoNotWaitForEachOther) {
  const Model model(options_);
  const std::string pipe = folder_.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::promise<void> begun;
  std::promise<Eigen::Vector3d> other;
  std::thread writer([&] {
    std::ofstream stream(pipe, std::ios::binary);
    stream << "YUV4MPEG2 W32 H32 Cmono\n";
    for (int i = 0; i < 30; ++i) stream << "FRAME\n" << std::string(32 * 32, static_cast<char>(i));
    stream.flush();
    begun.get_future().wait();
    Odometry odometry(model);
    other.set_value(LastPosition(odometry, {64, 32}, {64, 32}));
  });
  EstimateOptions options;
  bool first = true;
  options.on_pose = [&](const PoseEstimate&) {
    if (std::exchange(first, false)) begun.set_value();
  };
  const Trajectory piped = EstimateTrajectory(model, pipe, options);
  writer.join();
  Odometry alone{Model(options_)};
  EXPECT_EQ(other.get_future().get(), LastPosition(alone, {64, 32}, {64, 32}));
  EXPECT_EQ(piped.size(), 30U);
}

TEST_F(OdometryTest, LiveAndOfflineAgreeToTheBit) {
  Odometry odometry{Model(options_)};
  EXPECT_EQ(LastPositionOfFiles(64, 32), LastPosition(odometry, {64, 32}, {64, 32}));
  EXPECT_EQ(LastPositionOfFiles(32, 48), LastPosition(odometry, {32, 48}, {32, 48}));
  Odometry with_flip(odometry.model(), {.flip = true});
  const Eigen::Vector3d last = LastPosition(with_flip, {32, 48}, {32, 48});
  EXPECT_EQ(EstimateTrajectory(odometry.model(), WriteImages(32, 48), {.odometry = {.flip = true}})
                .world_from_camera.back()
                .translation,
            last);
  EXPECT_NE(LastPosition(odometry, {32, 48}, {32, 48}), last);
}

}  // namespace
}  // namespace calfvo
