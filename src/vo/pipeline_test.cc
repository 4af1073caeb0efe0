// SPDX-License-Identifier: Apache-2.0
#include "vo/pipeline.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "core/base/testing.h"
#include "core/image/png.h"
#include "vo/fake_estimator.h"

namespace calfvo {
namespace {

// Images of one square pixel, but for the first one, whose red is the frame's number.
class FakeSource : public FrameSource {
 public:
  explicit FakeSource(int64_t frames, bool is_live = false) : frames_(frames) { info_.is_live = is_live; }

  bool Advance(Frame& frame) override {
    if (next_ == fail_at) throw Error("the camera is gone");
    if (next_ == frames_) return false;
    frame.index = next_;
    frame.timestamp_ns = 1000 * next_;
    frame.width = next_ == 0 ? first_width : 1;
    frame.height = 1;
    frame.pixel_aspect = next_ == 0 ? first_pixel_aspect : 1.0;
    frame.rgb.assign(static_cast<size_t>(3 * frame.width), static_cast<uint8_t>(next_ % 251));
    frame.damage = next_ == 3 ? "scratched" : "";
    ++next_;
    if (stop_at == next_) stop.store(true);
    return true;
  }
  void Read(Frame&) override {}
  const SourceInfo& info() const override { return info_; }

  int64_t read() const { return next_; }

  int first_width = 1;  // of the first image
  double first_pixel_aspect = 1.0;
  int64_t fail_at = -1;
  int64_t stop_at = -1;
  std::atomic<bool> stop = false;

 private:
  const int64_t frames_;
  int64_t next_ = 0;
  SourceInfo info_;
};

struct Given {
  std::vector<FrameRecord> frames;
  std::vector<TrackedPose> poses;
  PipelineResult result;
};

Given Collect(FakeSource& source, const PipelineOptions& options) {
  FakeEstimator estimator(8, NormalNoise(0.01, 0.1));
  Given given;
  given.result =
      RunPipeline(source, estimator, options, [&](const FrameRecord& frame, const TrackedPose& pose) {
        given.frames.push_back(frame);
        given.poses.push_back(pose);
      });
  return given;
}

Given Collect(int64_t frames, const PipelineOptions& options) {
  FakeSource source(frames);
  return Collect(source, options);
}

// Two pixels: one that is always the same, and beside it the frame's number. FakeEstimator sees the first.
class HalfPainted : public FakeSource {
 public:
  using FakeSource::FakeSource;
  void Read(Frame& frame) override {
    frame.width = 2;
    frame.rgb.insert(frame.rgb.begin(), {200, 200, 200});
  }
};

TEST(Pipeline, TheNetworkSeesMaskedImagesFilled) {
  const TempFolder folder;
  const std::vector<uint8_t> pixels = {0, 0, 0, 255, 255, 255};
  const std::string path = (folder.path() / "mask.png").string();
  WritePng(path, {.width = 2, .height = 1, .pixels = pixels.data(), .stride = 6});
  for (const bool is_masked : {false, true}) {
    HalfPainted source(10);
    MaskSource masks(path);
    const Given given = Collect(source, {.masks = is_masked ? &masks : nullptr});
    ASSERT_EQ(given.poses.size(), 10U);
    // Where images do not change, the camera does not move but for the estimator's noise.
    const bool moves = given.poses.back().world_from_camera.translation.norm() > 1.5;
    EXPECT_EQ(moves, is_masked);
  }
}

TEST(Pipeline, OnePosePerFrameInOrder) {
  for (const int64_t frames : {1, 2, 7, 8, 9, 100}) {
    const Given given = Collect(frames, {});
    EXPECT_EQ(given.result.frames, frames);
    ASSERT_EQ(std::ssize(given.poses), frames);
    for (int64_t i = 0; i < frames; ++i) {
      const auto k = static_cast<size_t>(i);
      EXPECT_EQ(given.frames[k].index, i);
      EXPECT_EQ(given.frames[k].timestamp_ns, 1000 * i);
      EXPECT_EQ(given.poses[k].frame, i);
      EXPECT_EQ(given.frames[k].damage, i == 3 ? "scratched" : "");
    }
  }
}

TEST(Pipeline, SetsTheFirstImagesShapeBeforeTheFirstWindow) {
  for (const PipelineOptions& options : {PipelineOptions{.batch = 3}, PipelineOptions{.live = true}}) {
    FakeEstimator estimator(8);
    FakeSource source(20);
    source.first_width = 3;
    source.first_pixel_aspect = 1.25;
    RunPipeline(source, estimator, options, [](const auto&, const auto&) {});
    EXPECT_EQ(estimator.aspect_of_first_window, 3.75);
    EXPECT_EQ(estimator.aspect, 3.75);
  }
}

TEST(Pipeline, NoFramesGiveNoPoses) {
  EXPECT_TRUE(Collect(int64_t{0}, {}).poses.empty());
}

TEST(Pipeline, LiveAndOfflineAgreeToTheBit) {
  const Given offline = Collect(100, {.batch = 12});
  for (const PipelineOptions& options :
       {PipelineOptions{.batch = 1}, PipelineOptions{.batch = 31}, PipelineOptions{.live = true},
        PipelineOptions{.live = true, .queue = 1}}) {
    const Given other = Collect(100, options);
    ASSERT_EQ(other.poses.size(), offline.poses.size());
    for (size_t i = 0; i < other.poses.size(); ++i) {
      EXPECT_EQ(other.poses[i].world_from_camera.translation, offline.poses[i].world_from_camera.translation);
      EXPECT_EQ(other.poses[i].covariance, offline.poses[i].covariance);
    }
  }
}

TEST(Pipeline, AFailingSourceStillGivesWhatWasRead) {
  FakeSource source(100);
  source.fail_at = 21;
  const Given given = Collect(source, {});
  EXPECT_EQ(given.poses.size(), 21U);
  ASSERT_TRUE(given.result.failure);
  EXPECT_EQ(ErrorFrom([&] { std::rethrow_exception(given.result.failure); }), "the camera is gone");
}

TEST(Pipeline, WhatFailsBesideTheSourceIsThrown) {
  FakeSource source(100);
  FakeEstimator estimator(8);
  estimator.fail_at_image = 21;
  EXPECT_EQ(ErrorFrom([&] { RunPipeline(source, estimator, {}, [](const auto&, const auto&) {}); }),
            "the device is gone");
}

TEST(Pipeline, StopEndsEarlyWithAPosePerFrameRead) {
  FakeSource source(1'000'000);
  source.stop_at = 50;
  const Given given = Collect(source, {.stop = &source.stop});
  EXPECT_TRUE(given.result.interrupted);
  EXPECT_EQ(given.poses.size(), 50U);
}

// The last pose comes when all has been read.
TEST(Pipeline, StopAfterTheEndInterruptsNothing) {
  FakeSource source(20);
  FakeEstimator estimator(8);
  const auto stop_at_the_end = [&](const FrameRecord&, const TrackedPose& pose) {
    if (pose.frame == 19) source.stop.store(true);
  };
  const PipelineResult result = RunPipeline(source, estimator, {.stop = &source.stop}, stop_at_the_end);
  EXPECT_TRUE(source.stop.load());
  EXPECT_FALSE(result.interrupted);
}

TEST(Pipeline, AFailingSinkEndsTheReadingThread) {
  FakeSource source(1'000'000);
  FakeEstimator estimator(8);
  const auto full_disk = [](const FrameRecord&, const TrackedPose& pose) {
    if (pose.frame == 20) throw Error("no space left");
  };
  EXPECT_EQ(ErrorFrom([&] { RunPipeline(source, estimator, {}, full_disk); }), "no space left");
}

// A camera's frames are dropped while the estimator is busy; once it has failed, the camera is not read.
TEST(Pipeline, AFailingSinkEndsTheReadingOfACamera) {
  constexpr int64_t kFrames = 10'000'000;
  FakeSource source(kFrames, /*is_live=*/true);
  FakeEstimator estimator(8);
  const auto full_disk = [](const FrameRecord&, const TrackedPose&) { throw Error("no space left"); };
  EXPECT_EQ(ErrorFrom([&] { RunPipeline(source, estimator, {.live = true}, full_disk); }), "no space left");
  EXPECT_LT(source.read(), kFrames);
}

TEST(Pipeline, FramesACameraLosesAreCounted) {
  FakeSource source(200, /*is_live=*/true);
  FakeEstimator estimator(8);
  int64_t poses = 0;
  int64_t reported = 0;
  int64_t last_index = -1;
  const PipelineResult result = RunPipeline(source, estimator, {.live = true, .queue = 4},
                                            [&](const FrameRecord& frame, const TrackedPose&) {
                                              EXPECT_EQ(frame.index, last_index + 1 + frame.dropped_before);
                                              last_index = frame.index;
                                              reported += frame.dropped_before;
                                              ++poses;
                                              std::this_thread::sleep_for(std::chrono::milliseconds(1));
                                            });
  EXPECT_GT(result.dropped, 0);
  EXPECT_EQ(poses, result.frames);
  EXPECT_EQ(result.frames + result.dropped, 200);
  EXPECT_LE(reported, result.dropped);  // those after the last pose belong to no frame
}

}  // namespace
}  // namespace calfvo
