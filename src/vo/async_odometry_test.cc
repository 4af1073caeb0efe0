// SPDX-License-Identifier: Apache-2.0
#include "calfvo/async_odometry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <thread>

#include "core/base/testing.h"
#include "nn/architecture/model_file.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

constexpr int kWidth = 40, kHeight = 24;

class AsyncOdometryTest : public testing::Test {
 protected:
  AsyncOdometryTest() : model_(MakeModel(folder_)) {}

  static Model MakeModel(const TempFolder& folder) {
    const std::string path = folder.path() / "tiny.safetensors";
    const ModelConfig config = TinyConfig();
    SaveModelFile(config, *RandomModel(config, 3).weights, DType::kF32, path);
    return Model(
        {.name = path, .backend = BackendType::kCpu, .precision = PrecisionType::kF32, .threads = 1});
  }

  // BGR with gaps between its rows.
  static std::vector<uint8_t> Pixels(int number) {
    std::vector<uint8_t> bytes(static_cast<size_t>((3 * kWidth + 8) * kHeight));
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<uint8_t>(i * 7 + static_cast<size_t>(number) * 31);
    return bytes;
  }
  static ImageView View(const std::vector<uint8_t>& bytes) {
    return {kWidth, kHeight, PixelFormat::kBgr8, bytes.data(), 3 * kWidth + 8};
  }

  std::vector<PoseEstimate> Expected(int frames) const {
    Odometry odometry(model_);
    std::vector<PoseEstimate> poses;
    for (int i = 0; i < frames; ++i) {
      for (PoseEstimate& pose : odometry.AddFrame(View(Pixels(i)), i)) poses.push_back(pose);
    }
    for (PoseEstimate& pose : odometry.Flush()) poses.push_back(pose);
    return poses;
  }

  static void ExpectSame(const std::vector<PoseEstimate>& poses, const std::vector<PoseEstimate>& expected) {
    ASSERT_EQ(poses.size(), expected.size());
    for (size_t i = 0; i < poses.size(); ++i) {
      EXPECT_EQ(poses[i].timestamp_ns, expected[i].timestamp_ns);
      EXPECT_EQ(poses[i].world_from_camera.translation, expected[i].world_from_camera.translation);
    }
  }

  const TempFolder folder_;
  const Model model_;
};

TEST_F(AsyncOdometryTest, GivesThePosesOfOdometry) {
  AsyncOdometry odometry(model_, {}, {.queue = 64});
  for (int video = 0; video < 2; ++video) {
    std::vector<PoseEstimate> poses;
    for (int i = 0; i < 20; ++i) {
      std::vector<uint8_t> pixels = Pixels(i);
      EXPECT_TRUE(odometry.AddFrame(View(pixels), i));
      std::fill(pixels.begin(), pixels.end(), 0);  // it has its own copy
      for (PoseEstimate& pose : odometry.Poll()) poses.push_back(pose);
    }
    for (PoseEstimate& pose : odometry.Flush()) poses.push_back(pose);
    ExpectSame(poses, Expected(20));
  }
  EXPECT_EQ(odometry.statistics().accepted, 40);
  EXPECT_EQ(odometry.statistics().estimated, 40);
  EXPECT_EQ(odometry.statistics().dropped, 0);
}

TEST_F(AsyncOdometryTest, CallsBackWithFinalAndProvisionalPoses) {
  std::vector<PoseEstimate> poses, newest;
  AsyncOptions options;
  options.queue = 64;
  options.on_pose = [&](const PoseEstimate& pose) { poses.push_back(pose); };
  options.on_newest = [&](const PoseEstimate& pose) { newest.push_back(pose); };
  AsyncOdometry odometry(model_, {}, options);
  for (int i = 0; i < 20; ++i) odometry.AddFrame(View(Pixels(i)), i);
  EXPECT_TRUE(odometry.Flush().empty());
  ExpectSame(poses, Expected(20));
  ASSERT_FALSE(newest.empty());
  EXPECT_EQ(newest.back().timestamp_ns, 19);
  EXPECT_TRUE(newest.back().is_provisional);
}

// The network is held up by a callback: exactly the queue's frames wait, the others are dropped and counted.
TEST_F(AsyncOdometryTest, DropsNewFramesWhileTheQueueIsFull) {
  std::promise<void> entered, leave;
  std::vector<PoseEstimate> poses;
  AsyncOptions options;
  options.queue = 3;
  options.on_pose = [&](const PoseEstimate& pose) {
    if (poses.empty()) {
      entered.set_value();
      leave.get_future().wait();
    }
    poses.push_back(pose);
  };
  AsyncOdometry odometry(model_, {}, options);
  EXPECT_TRUE(odometry.AddFrame(View(Pixels(0)), 0));
  entered.get_future().wait();  // frame 0 is in the network
  for (int i = 1; i <= 8; ++i) EXPECT_EQ(odometry.AddFrame(View(Pixels(i)), i), i <= 3) << i;
  leave.set_value();
  while (odometry.statistics().estimated < 4) std::this_thread::yield();
  EXPECT_TRUE(odometry.AddFrame(View(Pixels(9)), 9));
  odometry.Flush();
  ASSERT_EQ(poses.size(), 5U);
  EXPECT_EQ(poses[3].frames_dropped_before, 0);
  EXPECT_EQ(poses[4].timestamp_ns, 9);
  EXPECT_EQ(poses[4].frames_dropped_before, 5);
  EXPECT_EQ(odometry.statistics().dropped, 5);
}

TEST_F(AsyncOdometryTest, AnErrorEndsTheVideoAndIsThrownOnce) {
  bool fail = true;
  std::vector<PoseEstimate> poses;
  AsyncOptions options;
  options.queue = 64;
  options.on_pose = [&](const PoseEstimate& pose) {
    if (fail) throw Error("the disk is full");
    poses.push_back(pose);
  };
  AsyncOdometry odometry(model_, {}, options);
  odometry.AddFrame(View(Pixels(0)), 1000);
  EXPECT_EQ(ErrorFrom([&] { odometry.Flush(); }), "the disk is full");
  fail = false;
  EXPECT_TRUE(odometry.Poll().empty());
  for (int i = 0; i < 12; ++i) EXPECT_TRUE(odometry.AddFrame(View(Pixels(i)), i));
  odometry.Flush();
  ExpectSame(poses, Expected(12));
}

TEST_F(AsyncOdometryTest, ResetForgetsWhatWaits) {
  AsyncOdometry odometry(model_, {}, {.queue = 64});
  for (int i = 0; i < 30; ++i) odometry.AddFrame(View(Pixels(i)), 1000 + i);
  odometry.Reset();
  for (int i = 0; i < 10; ++i) odometry.AddFrame(View(Pixels(i)), i);
  ExpectSame(odometry.Flush(), Expected(10));
}

TEST_F(AsyncOdometryTest, RejectsWhatOdometryRejects) {
  AsyncOdometry made(model_);
  AsyncOdometry odometry = std::move(made);
  odometry.AddFrame(View(Pixels(0)), 5);
  EXPECT_THAT(ErrorFrom([&] { odometry.AddFrame(View(Pixels(0)), 5); }),
              testing::HasSubstr("times must increase"));
  EXPECT_THAT(ErrorFrom([&] { odometry.AddFrame({}, 6); }), testing::HasSubstr("width x height is 0x0"));
  EXPECT_EQ(ErrorFrom([&] { AsyncOdometry(model_, {}, {.queue = 0}); }), "queue is 0; expected 1 to 1024");
  EXPECT_EQ(odometry.Flush().size(), 1U);
}

TEST_F(AsyncOdometryTest, CopiesBothPlanes) {
  const auto end = [&](bool through_queue) {
    AsyncOdometry async(model_, {}, {.queue = 64});
    Odometry direct(model_);
    for (int i = 0; i < 4; ++i) {
      std::vector<uint8_t> bytes(50 * 15 + 48 * 8);
      for (size_t k = 0; k < bytes.size(); ++k)
        bytes[k] = static_cast<uint8_t>(k * 13 + static_cast<size_t>(i) * 5);
      const ImageView view{.width = 41,
                           .height = 15,
                           .format = PixelFormat::kNv12,
                           .pixels = bytes.data(),
                           .stride = 50,
                           .chroma = bytes.data() + 50 * 15,
                           .chroma_stride = 48};
      if (through_queue) {
        async.AddFrame(view, i);
      } else {
        direct.AddFrame(view, i);
      }
    }
    return (through_queue ? async.Flush() : direct.Flush()).back().world_from_camera.translation;
  };
  EXPECT_EQ(end(true), end(false));
}

// Cameras and readers in threads of their own, on one model.
TEST_F(AsyncOdometryTest, ManyThreadsShareOneObject) {
  AsyncOdometry odometry(model_, {}, {.queue = 2});
  std::mutex clock;
  int64_t time_ns = 0;
  std::atomic<bool> done = false;
  std::vector<PoseEstimate> poses;
  std::thread reader([&] {
    while (!done) {
      for (PoseEstimate& pose : odometry.Poll()) poses.push_back(pose);
      odometry.statistics();
    }
  });
  std::vector<std::thread> cameras;
  for (int camera = 0; camera < 2; ++camera) {
    cameras.emplace_back([&, camera] {
      const std::vector<uint8_t> pixels = Pixels(camera);
      for (int i = 0; i < 40; ++i) {
        const std::lock_guard lock(clock);
        odometry.AddFrame(View(pixels), ++time_ns);
      }
    });
  }
  for (std::thread& camera : cameras) camera.join();
  done = true;
  reader.join();
  for (PoseEstimate& pose : odometry.Flush()) poses.push_back(pose);
  const AsyncStatistics statistics = odometry.statistics();
  EXPECT_EQ(statistics.accepted + statistics.dropped, 80);
  ASSERT_EQ(std::ssize(poses), statistics.accepted);
  for (size_t i = 1; i < poses.size(); ++i) EXPECT_LT(poses[i - 1].timestamp_ns, poses[i].timestamp_ns);
}

}  // namespace
}  // namespace calfvo
