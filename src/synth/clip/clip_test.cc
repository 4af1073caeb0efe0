// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/clip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/testing.h"
#include "core/base/thread_pool.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

ClipOptions Small(SceneKind scene, uint64_t seed) {
  ClipOptions options;
  options.scene = scene;
  options.seed = seed;
  options.frames = 4;
  options.width = 40;
  options.height = 30;
  return options;
}

TEST(Clip, GivesEveryFrameOnce) {
  ThreadPool threads(1);
  ClipOptions options = Small(SceneKind::kRoom, 1);
  options.rate = {30000, 1001};
  options.depth = true;
  options.flow = true;
  Clip clip(options, threads);
  for (int i = 0; i < 4; ++i) {
    const auto frame = clip.Next();
    ASSERT_TRUE(frame.has_value());
    EXPECT_EQ(frame->index, i);
    EXPECT_EQ(frame->timestamp_ns, options.rate.TimestampNs(i));
    EXPECT_EQ(frame->image.rgb.size(), 40U * 30U * 3U);
    EXPECT_EQ(frame->image.depth.size(), 40U * 30U);
    EXPECT_NEAR(frame->world_from_camera.translation.x(), clip.path()[i].translation.x, 0.0);
    EXPECT_EQ(std::isnan(frame->image.motion_to_next[2 * (15 * 40 + 20)]), i == 3);
  }
  EXPECT_FALSE(clip.Next().has_value());
  EXPECT_FALSE(clip.Next().has_value());
}

TEST(Clip, FollowsFromTheSeedForAnyNumberOfThreads) {
  ThreadPool one(1);
  ThreadPool three(3);
  ClipOptions options = Small(SceneKind::kStreet, 9);
  options.effects = EffectsOptions::Training();
  Clip a(options, one);
  Clip b(options, three);
  options.seed = 10;
  Clip c(options, one);
  for (int i = 0; i < 4; ++i) {
    const auto frame = a.Next();
    EXPECT_EQ(frame->image.rgb, b.Next()->image.rgb);
    EXPECT_NE(frame->image.rgb, c.Next()->image.rgb);
  }
}

TEST(Clip, IsExposedByItsFirstFrame) {
  ThreadPool threads(1);
  ClipOptions options = Small(SceneKind::kHall, 4);
  options.effects.metering_probability = 1.0F;
  Clip clip(options, threads);
  EXPECT_NE(clip.effects().metered_gain, 1.0F);
  const auto frame = clip.Next();
  double sum = 0.0;
  for (const uint8_t value : frame->image.rgb) sum += value;
  EXPECT_NEAR(sum / static_cast<double>(frame->image.rgb.size()) / 255.0, clip.effects().target, 0.06);
}

TEST(Clip, AFrameDoesNotDependOnHowLongTheClipIs) {
  ThreadPool threads(1);
  ClipOptions options = Small(SceneKind::kRoom, 2);
  options.motion = motion::MotionKind::kStatic;
  Clip shorter(options, threads);
  options.frames = 100;
  Clip longer(options, threads);
  EXPECT_EQ(shorter.Next()->image.rgb, longer.Next()->image.rgb);
}

TEST(Clip, PixelsAreSquareUnlessAskedOtherwise) {
  ThreadPool threads(1);
  ClipOptions options = Small(SceneKind::kRoom, 2);
  options.sensor = SensorOptions();
  int squeezed = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    options.seed = seed;
    options.square_pixels = true;
    const CameraModel square = Clip(options, threads).camera();
    EXPECT_NEAR(square.fx, square.fy, 1e-3F * square.fx) << seed;
    EXPECT_GE(square.fx, 0.45F * 40.0F) << seed;
    EXPECT_LE(square.fx, 1.4F * 40.0F / 0.65F) << seed;  // crops enlarge
    options.square_pixels = false;
    const CameraModel any = Clip(options, threads).camera();
    squeezed += std::abs(any.fx - any.fy) > 0.05F * any.fx ? 1 : 0;
  }
  EXPECT_GT(squeezed, 10);
  // Upright images state the focal length against their longer side.
  options.square_pixels = true;
  options.sensor = PlainSensor();
  options.sensor.min_focal_over_width = options.sensor.max_focal_over_width = 0.8F;
  std::swap(options.width, options.height);
  EXPECT_NEAR(Clip(options, threads).camera().fx, 0.8F * 40.0F, 1e-3F);
}

TEST(Clip, ExposureStaysInItsRangeForever) {
  ThreadPool threads(1);
  ClipOptions options = Small(SceneKind::kRoom, 2);
  options.frames = 1000;
  options.effects.exposure_probability = 1.0F;
  options.effects.max_exposure_drift = 0.06F;
  float most = 0.0F;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    options.seed = seed;
    const Clip clip(options, threads);
    EXPECT_FLOAT_EQ(clip.GainOf(0), clip.effects().gain);
    for (int i = 0; i < 1000; ++i) {
      most = std::max(most, std::abs(std::log2(clip.GainOf(i))));
      if (i > 0) {
        EXPECT_LE(std::abs(std::log2(clip.GainOf(i) / clip.GainOf(i - 1))), 0.0601F);
      }
    }
  }
  EXPECT_LE(most, 0.7001F);
  EXPECT_GT(most, 0.6F);
}

TEST(Clip, DrawsKindsByTheirWeights) {
  ThreadPool threads(1);
  ClipOptions options = Small(SceneKind::kRoom, 0);
  options.scene.reset();
  options.scene_weights.fill(0.0F);
  options.scene_weights[static_cast<size_t>(SceneKind::kHall)] = 1.0F;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    options.seed = seed;
    EXPECT_EQ(Clip(options, threads).scene(), SceneKind::kHall);
  }
  options.motion = motion::MotionKind::kVehicle;
  EXPECT_EQ(Clip(options, threads).motion(), motion::MotionKind::kVehicle);
}

// The scene behind them, the path and the camera stay as they are.
TEST(Clip, MoversChangeWhatTheyCoverAndNothingElse) {
  ThreadPool threads(2);
  ClipOptions options{.scene = SceneKind::kRoom, .seed = 5, .frames = 3, .width = 64, .height = 48};
  options.samples = 1;
  options.depth = true;
  options.flow = true;
  Clip plain(options, threads);
  options.movers = 0.3;
  Clip covered(options, threads);
  int pixels = 0;
  while (const auto before = plain.Next()) {
    const auto after = covered.Next();
    ASSERT_TRUE(after);
    EXPECT_TRUE(before->mask.empty());
    ASSERT_EQ(after->mask.size(), 64U * 48U);
    EXPECT_EQ(before->world_from_camera.translation, after->world_from_camera.translation);
    for (size_t i = 0; i < after->mask.size(); ++i) {
      if (after->mask[i] == 0) {
        ++pixels;
        EXPECT_TRUE(std::isinf(after->image.depth[i]));
        const std::vector<float>& motion = after->image.motion_to_next;
        EXPECT_TRUE(motion.empty() || std::isnan(motion[2 * i]));
        continue;
      }
      EXPECT_EQ(before->image.depth[i], after->image.depth[i]);
      for (size_t c = 0; c < 3; ++c) EXPECT_EQ(before->image.rgb[3 * i + c], after->image.rgb[3 * i + c]);
    }
  }
  EXPECT_GT(pixels, 3 * 64 * 48 / 10);
}

// Cars and people of the scene move by themselves, too: there the flow is not what depth and poses give.
TEST(Clip, MasksHideWhatMovesInTheScene) {
  ThreadPool threads(2);
  ClipOptions options{.scene = SceneKind::kStreet, .seed = 4, .frames = 4, .width = 160, .height = 120};
  options.rate = {5, 1};
  options.samples = 1;
  options.depth = true;
  options.flow = true;
  options.movers = 0.05;
  Clip clip(options, threads);
  int moving = 0, hidden = 0;
  auto frame = clip.Next();
  for (auto next = clip.Next(); next; frame = std::move(next), next = clip.Next()) {
    const Rigid3 next_from_here = next->world_from_camera.Inverse() * frame->world_from_camera;
    for (int i = 0; i < options.width * options.height; ++i) {
      const int x = i % options.width;
      const int y = i / options.width;
      const auto at = static_cast<size_t>(i);
      const float depth = frame->image.depth[at];
      const float flow_x = frame->image.motion_to_next[2 * at];
      const float flow_y = frame->image.motion_to_next[2 * at + 1];
      if (!std::isfinite(depth) || !std::isfinite(flow_x)) continue;
      const portable::Vec3 ray =
          synth::DirectionAt(clip.camera(), static_cast<float>(x), static_cast<float>(y));
      const Eigen::Vector3d point =
          next_from_here * (depth * Eigen::Vector3f(ray.x, ray.y, ray.z)).cast<double>();
      const Eigen::Vector3f seen = point.cast<float>();
      synth::Pixel there;
      ASSERT_TRUE(synth::Project(clip.camera(), {seen.x(), seen.y(), seen.z()}, there));
      const bool moves = std::hypot(there.x - static_cast<float>(x) - flow_x,
                                    there.y - static_cast<float>(y) - flow_y) > 0.1F;
      moving += moves ? 1 : 0;
      hidden += frame->mask[at] == 0 ? 1 : 0;
      EXPECT_FALSE(moves && frame->mask[at] != 0) << x << " " << y;
    }
  }
  EXPECT_GT(moving, 50);
  EXPECT_LT(hidden, 2 * moving);  // those that hardly move in the image
}

TEST(Clip, RefusesWhatMakesNoSense) {
  ThreadPool threads(1);
  const auto message = [&](auto change) {
    ClipOptions options = Small(SceneKind::kRoom, 0);
    change(options);
    return ErrorFrom([&] { Clip(options, threads); });
  };
  EXPECT_EQ(message([](ClipOptions& o) { o.frames = 0; }), "frames is 0; expected 1 to 10000000");
  EXPECT_EQ(message([](ClipOptions& o) { o.width = 4; }), "width is 4; expected 8 to 8192");
  EXPECT_EQ(message([](ClipOptions& o) { o.samples = 9; }), "samples is 9; expected 1 to 8");
  EXPECT_EQ(message([](ClipOptions& o) { o.scene_weights.fill(0.0F); }),
            "scenes are all zero; expected one above zero");
  EXPECT_THAT(message([](ClipOptions& o) { o.motion_weights[0][0] = -1.0F; }),
              HasSubstr("motions.room is -1"));
  EXPECT_THAT(message([](ClipOptions& o) { o.effects.max_noise = NAN; }), HasSubstr("max_noise"));
  EXPECT_THAT(message([](ClipOptions& o) { o.textures = "/none"; }), HasSubstr("/none"));
}

}  // namespace
}  // namespace calfvo
