// SPDX-License-Identifier: Apache-2.0
#include "refine/refiner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "calfvo/error.h"
#include "core/geometry/so3.h"

namespace calfvo {
namespace {

constexpr int kWidth = 320;
constexpr int kHeight = 240;
constexpr double kFocal = 260.0;

// A smooth random texture, sampled anywhere.
class Texture {
 public:
  explicit Texture(unsigned seed) {
    std::mt19937 random(seed);
    for (float& value : values_) value = static_cast<float>(random() % 256);
  }
  double At(double u, double v) const {
    const double x = std::floor(u);
    const double y = std::floor(v);
    const auto value = [&](double i, double j) {
      const auto wrap = [](double k) { return static_cast<size_t>(static_cast<int64_t>(k) & 255); };
      return static_cast<double>(values_[wrap(j) * 256 + wrap(i)]);
    };
    const double a = u - x;
    const double b = v - y;
    return (1.0 - b) * ((1.0 - a) * value(x, y) + a * value(x + 1.0, y)) +
           b * ((1.0 - a) * value(x, y + 1.0) + a * value(x + 1.0, y + 1.0));
  }

 private:
  std::vector<float> values_ = std::vector<float>(256 * 256);
};

// A room's back wall and floor: the planes z = 4 and y = 1.
GrayImage Render(const Texture& texture, const Rigid3& world_from_camera) {
  GrayImage image{kWidth, kHeight, std::vector<uint8_t>(static_cast<size_t>(kWidth) * kHeight)};
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const Eigen::Vector3d ray =
          world_from_camera.rotation *
          Eigen::Vector3d((x + 0.5 - 0.5 * kWidth) / kFocal, (y + 0.5 - 0.5 * kHeight) / kFocal, 1.0);
      const Eigen::Vector3d& c = world_from_camera.translation;
      const double wall = ray.z() > 0.0 ? (4.0 - c.z()) / ray.z() : 1e9;
      const double floor = ray.y() > 0.0 ? (1.0 - c.y()) / ray.y() : 1e9;
      const Eigen::Vector3d hit = c + std::min(wall, floor) * ray;
      const double value = wall < floor ? texture.At(12.0 * hit.x(), 12.0 * hit.y())
                                        : texture.At(12.0 * hit.x() + 100.0, 12.0 * hit.z());
      image.pixels[static_cast<size_t>(y) * kWidth + static_cast<size_t>(x)] = static_cast<uint8_t>(value);
    }
  }
  return image;
}

Rigid3 PathPose(int i) {
  const double s = 0.15 * i;
  return {ExpSO3(0.12 * Eigen::Vector3d(0.6 * std::sin(0.9 * s), std::sin(0.7 * s), 0.3 * std::sin(s))),
          {0.35 * std::sin(0.5 * s), 0.1 * std::sin(0.8 * s), 0.02 * i}};
}

struct Video {
  std::vector<std::shared_ptr<const GrayImage>> images;
  std::vector<Rigid3> poses;  // of the network
};

struct Refined {
  std::vector<RefinedPose> poses;
  RefineSummary summary;
};

Refined Refine(const Video& video, const RefineOptions& options = {}, bool live = false) {
  Refined out;
  Refiner refiner(options, live, {0.8, 0.9}, [&](const RefinedPose& pose) { out.poses.push_back(pose); });
  for (size_t i = 0; i < video.images.size(); ++i) {
    FrameRecord frame{.index = static_cast<int64_t>(i),
                      .timestamp_ns = static_cast<int64_t>(i) * 33'000'000,
                      .width = 2 * kWidth,
                      .height = 2 * kHeight,
                      .width_over_height = static_cast<double>(kWidth) / kHeight};
    frame.gray = video.images[i];
    TrackedPose pose{.frame = static_cast<int64_t>(i), .world_from_camera = video.poses[i]};
    if (i > 0) {
      pose.edge = {.first_from_second = video.poses[i - 1].Inverse() * video.poses[i],
                   .sigma_rotation_rad = 0.003,
                   .sigma_translation_m = 0.01,
                   .windows = 1};
    }
    refiner.Add(frame, pose);
  }
  out.summary = refiner.Finish();
  return out;
}

// The path as a network would give it that turns too far by a thousandth of a radian per frame.
Video DriftingVideo(int frames) {
  const Texture texture(3);
  Video video;
  Rigid3 pose = PathPose(0);
  for (int i = 0; i < frames; ++i) {
    if (i > 0) {
      Rigid3 edge = PathPose(i - 1).Inverse() * PathPose(i);
      edge.rotation = edge.rotation * ExpSO3({0.0, 0.002, 0.0});
      pose = pose * edge;
    }
    video.images.push_back(std::make_shared<GrayImage>(Render(texture, PathPose(i))));
    video.poses.push_back(pose);
  }
  return video;
}

double LastTurnError(const Refined& refined, int frames) {
  const Rigid3 expected = PathPose(0).Inverse() * PathPose(frames - 1);
  return AngleBetween(refined.poses.back().pose.world_from_camera.rotation, expected.rotation);
}

TEST(Refiner, RenderedVideoGivesFocalLengthAndRemovesDrift) {
  constexpr int kFrames = 70;
  const Refined refined = Refine(DriftingVideo(kFrames));
  ASSERT_EQ(refined.poses.size(), static_cast<size_t>(kFrames));
  EXPECT_NEAR(refined.summary.camera.focal_px, 2.0 * kFocal, 0.05 * 2.0 * kFocal);
  EXPECT_LT(LastTurnError(refined, kFrames), 0.4 * 0.002 * kFrames);
  EXPECT_GT(refined.summary.accepted_share, 0.5);
  EXPECT_GT(refined.summary.points.size(), 50U);
}

TEST(Refiner, LiveGivesEveryPoseToo) {
  constexpr int kFrames = 70;
  const Refined refined = Refine(DriftingVideo(kFrames), {}, /*live=*/true);
  ASSERT_EQ(refined.poses.size(), static_cast<size_t>(kFrames));
  for (size_t i = 0; i < refined.poses.size(); ++i)
    EXPECT_EQ(refined.poses[i].frame.index, static_cast<int64_t>(i));
  EXPECT_LT(LastTurnError(refined, kFrames), 0.8 * 0.002 * kFrames);
}

TEST(Refiner, AGivenFocalLengthIsKept) {
  const Refined refined = Refine(DriftingVideo(40), {.focal_px = 2.0 * kFocal, .focal_sigma = 0.0});
  EXPECT_NEAR(refined.summary.camera.focal_px, 2.0 * kFocal, 1e-6);
  EXPECT_EQ(refined.summary.camera.origin, CameraOrigin::kGiven);
}

TEST(Refiner, AWrongFocalLengthIsReported) {
  const Video video = DriftingVideo(60);
  EXPECT_TRUE(Refine(video, {.focal_px = 2.0 * kFocal}).summary.warnings.empty());
  const Refined wrong = Refine(video, {.focal_px = 3.0 * kFocal});
  ASSERT_EQ(wrong.summary.warnings.size(), 1U);
  EXPECT_NE(wrong.summary.warnings[0].find("contradicts the tracks"), std::string::npos);
}

TEST(Refiner, AKnownDistanceScalesPathAndMap) {
  const Video video = DriftingVideo(40);
  const Refined plain = Refine(video);
  const Eigen::Vector3d first = plain.poses[10].pose.world_from_camera.translation;
  const Eigen::Vector3d second = plain.poses[30].pose.world_from_camera.translation;
  const double distance = (second - first).norm();
  const Refined scaled = Refine(video, {.distance = KnownDistance{0.33, 0.99, 1.25 * distance}});
  EXPECT_TRUE(scaled.summary.warnings.empty());
  EXPECT_NEAR(scaled.summary.scale, 1.25, 1e-9);
  for (size_t i = 0; i < video.images.size(); ++i) {
    const Eigen::Vector3d expected = 1.25 * plain.poses[i].pose.world_from_camera.translation;
    EXPECT_LT((scaled.poses[i].pose.world_from_camera.translation - expected).norm(), 1e-9);
    EXPECT_NEAR(scaled.poses[i].pose.covariance(0, 0), 1.25 * 1.25 * plain.poses[i].pose.covariance(0, 0),
                1e-12);
    EXPECT_NEAR(scaled.poses[i].pose.covariance(0, 4), 1.25 * plain.poses[i].pose.covariance(0, 4), 1e-12);
  }
  ASSERT_EQ(scaled.summary.points.size(), plain.summary.points.size());
  EXPECT_LT((scaled.summary.points[0].x_in_world - 1.25 * plain.summary.points[0].x_in_world).norm(), 1e-9);

  const Refined wrong = Refine(video, {.distance = KnownDistance{0.33, 0.99, 10.0 * distance}});
  EXPECT_EQ(wrong.summary.scale, 1.0);
  ASSERT_EQ(wrong.summary.warnings.size(), 1U);
  EXPECT_NE(wrong.summary.warnings[0].find("contradicts the video"), std::string::npos);

  const Refined late = Refine(video, {.distance = KnownDistance{0.33, 99.0, distance}});
  EXPECT_EQ(late.summary.scale, 1.0);
  ASSERT_EQ(late.summary.warnings.size(), 1U);
  EXPECT_NE(late.summary.warnings[0].find("its second time is 99 s, the last frame is at 1.287 s"),
            std::string::npos)
      << late.summary.warnings[0];
}

TEST(Refiner, WithoutGroundTheCameraHeightIsNotUsed) {
  Video video = DriftingVideo(12);
  for (auto& image : video.images) {
    image = std::make_shared<GrayImage>(
        GrayImage{kWidth, kHeight, std::vector<uint8_t>(static_cast<size_t>(kWidth) * kHeight)});
  }
  const Refined refined = Refine(video, {.camera_height_m = 1.5});
  EXPECT_EQ(refined.summary.scale, 1.0);
  ASSERT_EQ(refined.summary.warnings.size(), 1U);
  EXPECT_NE(refined.summary.warnings[0].find("no ground plane"), std::string::npos);
}

TEST(Refiner, WithoutTextureTheNetworkStays) {
  Video video = DriftingVideo(30);
  for (auto& image : video.images) {
    image = std::make_shared<GrayImage>(
        GrayImage{kWidth, kHeight, std::vector<uint8_t>(static_cast<size_t>(kWidth) * kHeight)});
  }
  const Refined refined = Refine(video);
  for (size_t i = 0; i < video.poses.size(); ++i) {
    EXPECT_LT((refined.poses[i].pose.world_from_camera.translation - video.poses[i].translation).norm(),
              1e-9);
    EXPECT_EQ(refined.poses[i].rotation_weight, 0.0);
  }
  EXPECT_EQ(refined.summary.camera.origin, CameraOrigin::kGuess);
}

TEST(Refiner, StaticCutAndShortVideosHaveAllTheirPoses) {
  const Texture texture(5);
  const Texture other(6);
  const auto still = std::make_shared<GrayImage>(Render(texture, PathPose(0)));
  Video fixed;
  fixed.images.assign(30, still);
  fixed.poses.assign(30, Rigid3());
  Video cut = DriftingVideo(40);
  for (size_t i = 20; i < 40; ++i) {
    cut.images[i] = std::make_shared<GrayImage>(Render(other, PathPose(static_cast<int>(i))));
  }
  Video one = fixed;
  one.images.resize(1);
  Video two = fixed;
  two.images.resize(2);
  for (const Video& video : {fixed, cut, one, two}) {
    const Refined refined = Refine(video);
    ASSERT_EQ(refined.poses.size(), video.images.size());
    for (const RefinedPose& pose : refined.poses)
      EXPECT_TRUE(pose.pose.world_from_camera.translation.allFinite());
  }
  EXPECT_NE(Refine(fixed).summary.camera.origin, CameraOrigin::kEstimated);
}

TEST(Refiner, TinyImagesKeepTheNetworksPoses) {
  Video video = DriftingVideo(12);
  for (const auto& [width, height] : {std::pair(1, 1), {2, 1}, {64, 31}, {32, 32}}) {
    for (auto& image : video.images) {
      image = std::make_shared<GrayImage>(
          GrayImage{width, height, std::vector<uint8_t>(static_cast<size_t>(width * height), 90)});
    }
    const Refined refined = Refine(video);
    ASSERT_EQ(refined.poses.size(), video.images.size());
    EXPECT_LT(
        (refined.poses.back().pose.world_from_camera.translation - video.poses.back().translation).norm(),
        1e-9);
  }
}

TEST(Refiner, SameVideoSameBits) {
  const Video video = DriftingVideo(40);
  const Refined first = Refine(video);
  const Refined second = Refine(video);
  for (size_t i = 0; i < first.poses.size(); ++i) {
    EXPECT_EQ(first.poses[i].pose.world_from_camera.translation,
              second.poses[i].pose.world_from_camera.translation);
    EXPECT_EQ(first.poses[i].pose.covariance, second.poses[i].pose.covariance);
  }
}

TEST(Refiner, RejectsWrongOptions) {
  EXPECT_THROW(Refine({}, {.focal_px = -1.0}), Error);
  EXPECT_THROW(Refine({}, {.fov_deg = 180.0}), Error);
  EXPECT_THROW(Refine({}, {.focal_px = 500.0, .fov_deg = 60.0}), Error);
  EXPECT_THROW(Refine({}, {.camera_height_m = 0.0}), Error);
  EXPECT_THROW(Refine({}, {.distance = KnownDistance{2.0, 1.0, 3.0}}), Error);
  EXPECT_THROW(Refine({}, {.camera_height_m = 1.5, .distance = KnownDistance{0.0, 1.0, 3.0}}), Error);
  EXPECT_THROW(Refine({}, {.camera_height_m = 1.5}, /*live=*/true), Error);
}

}  // namespace
}  // namespace calfvo
