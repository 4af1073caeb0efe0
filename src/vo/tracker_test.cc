// SPDX-License-Identifier: Apache-2.0
#include "vo/tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "core/base/testing.h"
#include "vo/fake_estimator.h"

namespace calfvo {
namespace {

// Adds `frames` images in pieces of `batch` and returns all poses.
std::vector<TrackedPose> Track(FakeEstimator& estimator, int overlap, int frames, int batch,
                               bool defer = false) {
  Tracker tracker(estimator, {.overlap = overlap, .max_batch = batch, .defer = defer});
  std::vector<float> numbers(static_cast<size_t>(frames));
  std::vector<TrackedPose> poses;
  for (int first = 0; first < frames; first += batch) {
    std::vector<const float*> images;
    for (int i = first; i < std::min(first + batch, frames); ++i) {
      numbers[static_cast<size_t>(i)] = static_cast<float>(i);
      images.push_back(&numbers[static_cast<size_t>(i)]);
    }
    tracker.Add(images, poses);
  }
  tracker.Finish(poses);
  return poses;
}

TEST(Tracker, FollowsTheTruthForEveryLengthAndOverlap) {
  for (int overlap = 1; overlap < 8; ++overlap) {
    for (int frames = 1; frames <= 30; ++frames) {
      FakeEstimator estimator(8);
      const std::vector<TrackedPose> poses = Track(estimator, overlap, frames, 5);
      ASSERT_EQ(std::ssize(poses), frames) << overlap;
      Rigid3 truth;
      for (int i = 0; i < frames; ++i) {
        EXPECT_EQ(poses[static_cast<size_t>(i)].frame, i);
        const Rigid3& pose = poses[static_cast<size_t>(i)].world_from_camera;
        EXPECT_LT((pose.translation - truth.translation).norm(), 1e-9)
            << overlap << " " << frames << " " << i;
        EXPECT_LT(AngleBetween(pose.rotation, truth.rotation), 1e-7);
        truth = truth * TrueMotion(i);
      }
    }
  }
}

TEST(Tracker, DeferringChangesNothingButWhen) {
  for (const int batch : {1, 3, 5, 12}) {
    for (int frames = 1; frames <= 40; ++frames) {
      FakeEstimator at_once(8, NormalNoise(0.01, 0.1)), later(8, NormalNoise(0.01, 0.1));
      const std::vector<TrackedPose> expected = Track(at_once, 5, frames, batch);
      const std::vector<TrackedPose> deferred = Track(later, 5, frames, batch, /*defer=*/true);
      ASSERT_EQ(deferred.size(), expected.size());
      EXPECT_EQ(later.windows, at_once.windows);
      EXPECT_EQ(deferred.back().world_from_camera.translation, expected.back().world_from_camera.translation);
      EXPECT_EQ(deferred.back().covariance, expected.back().covariance);
    }
  }
}

// Takes its time where a backend without a device does: as soon as a window is asked for.
class SlowEstimator : public FakeEstimator {
 public:
  SlowEstimator() : FakeEstimator(8) {}
  void BeginEstimate(std::span<const int64_t> first_frames) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    FakeEstimator::BeginEstimate(first_frames);
  }
};

TEST(Tracker, TimeOfWindowsCountsFromTheirBeginning) {
  SlowEstimator estimator;
  Tracker tracker(estimator, {.max_batch = 8});
  const std::vector<float> numbers = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<const float*> images;
  for (const float& number : numbers) images.push_back(&number);
  std::vector<TrackedPose> poses;
  tracker.Add(images, poses);
  EXPECT_GE(tracker.times().window_s, 0.005);
}

TEST(Tracker, WindowsAreThePapers) {
  FakeEstimator estimator(8);
  Track(estimator, 5, 20, 7);
  EXPECT_EQ(estimator.windows, (std::vector<int64_t>{0, 3, 6, 9, 12}));
  Track(estimator, 5, 21, 7);
  EXPECT_EQ(estimator.windows, (std::vector<int64_t>{0, 3, 6, 9, 12, 13}));
  Track(estimator, 7, 10, 1);
  EXPECT_EQ(estimator.windows, (std::vector<int64_t>{0, 1, 2}));
  Track(estimator, 5, 3, 1);
  EXPECT_EQ(estimator.windows, (std::vector<int64_t>{0}));
}

TEST(Tracker, CountsTheWindowsThatSawAnEdge) {
  FakeEstimator estimator(8);
  const std::vector<TrackedPose> poses = Track(estimator, 5, 21, 4);
  for (size_t i = 1; i < poses.size(); ++i) {
    const auto edge = static_cast<int64_t>(i) - 1;
    const auto expected = std::count_if(estimator.windows.begin(), estimator.windows.end(),
                                        [&](int64_t first) { return first <= edge && edge < first + 7; });
    EXPECT_EQ(poses[i].edge.windows, expected) << i;
  }
}

TEST(Tracker, SplittingFramesOverCallsChangesNothing) {
  const auto noise = NormalNoise(0.02, 0.1);
  FakeEstimator whole(8, noise);
  const std::vector<TrackedPose> expected = Track(whole, 5, 40, 40);
  for (const int batch : {1, 2, 3, 12, 13}) {
    FakeEstimator estimator(8, noise);
    const std::vector<TrackedPose> poses = Track(estimator, 5, 40, batch);
    for (size_t i = 0; i < poses.size(); ++i) {
      EXPECT_EQ(poses[i].world_from_camera.translation, expected[i].world_from_camera.translation);
      EXPECT_EQ(poses[i].world_from_camera.rotation.coeffs(),
                expected[i].world_from_camera.rotation.coeffs());
      EXPECT_EQ(poses[i].covariance, expected[i].covariance);
    }
  }
}

TEST(Tracker, PosesComeWithinTheStatedLatency) {
  for (int overlap = 1; overlap < 8; ++overlap) {
    FakeEstimator estimator(8);
    Tracker tracker(estimator, {.overlap = overlap, .max_batch = 1});
    std::vector<TrackedPose> poses;
    int longest = 0;
    for (int i = 0; i < 100; ++i) {
      const auto number = static_cast<float>(i);
      tracker.Add({{&number}}, poses);
      if (i >= 7) longest = std::max(longest, i - static_cast<int>(poses.back().frame));
    }
    EXPECT_EQ(longest, tracker.latency_frames()) << overlap;
  }
}

// The distribution of errors after 30 frames against the covariance that the tracker gives.
TEST(Tracker, CovarianceMatchesTheScatterOfManyRuns) {
  constexpr int kRuns = 300;
  constexpr int kFrames = 30;
  Rigid3 truth;
  for (int i = 0; i < kFrames - 1; ++i) truth = truth * TrueMotion(i);
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  Eigen::Vector3d turn = Eigen::Vector3d::Zero();
  Matrix6 stated;
  for (int run = 0; run < kRuns; ++run) {
    // Overlap 1: every edge is seen by one window (but for the last), so that noise is independent.
    FakeEstimator estimator(8, [&](int64_t window, int64_t edge, PairEstimate& estimate) {
      NormalNoise(0.005, 0.02)(window + 7919 * run, edge, estimate);
    });
    const TrackedPose last = Track(estimator, 1, kFrames, 8).back();
    position += (last.world_from_camera.translation - truth.translation).cwiseAbs2();
    turn += LogSO3(truth.rotation.conjugate() * last.world_from_camera.rotation).cwiseAbs2();
    stated = last.covariance;
  }
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(position[axis] / kRuns, stated(axis, axis), 0.25 * stated(axis, axis));
    EXPECT_NEAR(turn[axis] / kRuns, stated(axis + 3, axis + 3), 0.25 * stated(axis + 3, axis + 3));
  }
}

TEST(Tracker, ErrorsThatGoOnAddUpToMore) {
  const auto covariance = [](const EdgeCorrelation& correlation) {
    FakeEstimator estimator(8, NormalNoise(0.005, 0.02));
    estimator.correlation = correlation;
    return Matrix6(Track(estimator, 5, 30, 8).back().covariance);
  };
  const Matrix6 independent = covariance({});
  // Variances grow by (1 + ρ) / (1 − ρ), here 9, in the long run.
  const Matrix6 alike = covariance({.rotation = 0.8, .translation = 0.8});
  EXPECT_GT(alike.trace(), 5.0 * independent.trace());
  EXPECT_LT(alike.trace(), 9.0 * independent.trace());
}

TEST(Tracker, MoreOverlapMeansLessError) {
  const auto error = [](int overlap) {
    FakeEstimator estimator(8, NormalNoise(0.01, 0.05));
    const std::vector<TrackedPose> poses = Track(estimator, overlap, 600, 64);
    double sum = 0.0;
    for (size_t i = 1; i < poses.size(); ++i) {
      sum +=
          (poses[i].edge.first_from_second.translation - TrueMotion(static_cast<int64_t>(i) - 1).translation)
              .norm();
    }
    return sum;
  };
  EXPECT_LT(error(5), 0.75 * error(1));
  EXPECT_LT(error(7), 0.75 * error(5));
}

TEST(Tracker, RefusesOverlapsThatMakeNoSense) {
  FakeEstimator estimator(8);
  for (const int overlap : {-1, 0, 8}) {
    const std::string message = ErrorFrom([&] { Tracker(estimator, {.overlap = overlap}); });
    EXPECT_NE(message.find("can share 1 to 7"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace calfvo
