// SPDX-License-Identifier: Apache-2.0
#include "synth/render/candidates.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/portable/random.h"
#include "synth/render/render_pixel.h"
#include "synth/scene/posed_frame.h"
#include "synth/scene/scene_kind.h"
#include "synth/scene/test_kinds.h"
#include "synth/scene/test_motion.h"

namespace calfvo::synth {
namespace {

using portable::Random;

// Rays through a tile of an image, from a camera that moves meanwhile.
std::vector<Ray> TileRays(const PosedFrame& frame, Random& random) {
  constexpr int kRays = 64;
  const float left = random.Uniform(-1.0F, 0.9F);
  const float top = random.Uniform(-1.0F, 0.9F);
  std::vector<Ray> rays;
  for (int i = 0; i < kRays; ++i) {
    const Vec3 in_camera{left + random.Uniform(0.0F, 0.08F), top + random.Uniform(0.0F, 0.08F), 1.0F};
    const float dt = random.Uniform(-0.02F, 0.02F);
    rays.push_back({PositionAt(frame, dt), Normalized(DirectionToWorld(frame, dt, in_camera))});
  }
  return rays;
}

RayBounds BoundsOf(const std::vector<Ray>& rays) {
  RayBounds bounds;
  for (const Ray& ray : rays) {
    Include(ray.origin, bounds.origins);
    Include(ray.direction, bounds.directions);
  }
  return bounds;
}

class CandidatesTest : public testing::TestWithParam<int> {};

TEST_P(CandidatesTest, RaysMeetWhatTheyMeetInTheWholeScene) {
  const auto kind = static_cast<SceneKind>(GetParam());
  Random random(11);
  int64_t found = 0;
  int64_t places = 0;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const auto scene = MakeScene(kind, seed);
    PosedFrame frames[2];
    TestMotion(*scene, frames, 2, 0.1F, Random(seed));
    SetVelocities(frames, 2, 0);
    MoverTable movers;
    FillMovers(*scene, 1.5F, 0.1F, movers);
    for (int tile = 0; tile < 60; ++tile) {
      const std::vector<Ray> rays = TileRays(frames[0], random);
      Candidates candidates;
      FindCandidates(*scene, movers, BoundsOf(rays), candidates);
      for (const Ray& ray : rays) {
        const float dt = random.Uniform(-0.1F, 0.1F);
        const Hit hit = TraceAmong(candidates, *scene, movers, dt, ray);
        ASSERT_EQ(hit.t, Trace(*scene, movers, dt, ray).t) << "seed " << seed << " tile " << tile;
      }
      found += candidates.count;
      places += CandidatePlaces(*scene) / 2;  // about every other node is a leaf
    }
  }
  // Else they would be of no use.
  EXPECT_LT(found, places / 4);
}

TEST_P(CandidatesTest, PointsAreHiddenFromTheLightAsInTheWholeScene) {
  const auto kind = static_cast<SceneKind>(GetParam());
  Random random(12);
  int shadow_rays = 0;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const auto scene = MakeScene(kind, seed);
    PosedFrame frame;
    TestMotion(*scene, &frame, 1, 0.1F, Random(seed));
    MoverTable movers;
    FillMovers(*scene, 1.5F, 0.1F, movers);
    for (int tile = 0; tile < 60; ++tile) {
      std::vector<Sample> samples;
      std::vector<Hit> hits;
      Box points;
      for (const Ray& ray : TileRays(frame, random)) {
        samples.push_back({ray, random.Uniform(-0.1F, 0.1F)});
        hits.push_back(Trace(*scene, movers, samples.back().dt, ray));
        int shadow_of = kNothing;
        IncludeShadowed(samples.back(), hits.back(), shadow_of, points);
      }
      Candidates candidates;
      FindCandidates(*scene, movers, ShadowBounds(scene->light, points), candidates);
      for (size_t i = 0; i < samples.size(); ++i) {
        if (hits[i].primitive == kNothing) continue;
        const float dt = samples[i].dt;
        const Surface surface = SurfaceAt(*scene, movers, dt, samples[i].ray, hits[i], 1e-3F);
        float distance = 0.0F;
        const Vec3 to_light = ToLight(scene->light, surface.point, distance);
        const Ray shadow{surface.point + surface.normal * kShadowOffset, to_light};
        ASSERT_EQ(IsHiddenAmong(candidates, *scene, movers, dt, shadow, distance),
                  IsHidden(*scene, movers, dt, shadow, distance))
            << "seed " << seed << " tile " << tile;
        ++shadow_rays;
      }
    }
  }
  EXPECT_GT(shadow_rays, 1000);
}

TEST(Candidates, SamplesOfRowsStartWhereTheirOriginsAre) {
  PosedFrame frame;
  frame.velocity = {10.0F, -3.0F, 0.0F};
  const CameraModel camera;
  WindowEffects effects;
  effects.readout_s = 0.03F;
  effects.exposure_s = 0.02F;
  FrameView view;
  view.frame = &frame;
  view.camera = &camera;
  view.effects = &effects;
  const Box origins = SampleOrigins(view, 40, 55);
  Box found;
  for (int y = 40; y <= 55; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      for (int i = 0; i < 4; ++i) Include(SampleAt(view, x, y, i, 4).ray.origin, found);
    }
  }
  EXPECT_LE(origins.low.x, found.low.x);
  EXPECT_LE(origins.low.y, found.low.y);
  EXPECT_GE(origins.high.x, found.high.x);
  EXPECT_GE(origins.high.y, found.high.y);
  EXPECT_LT(origins.high.x - origins.low.x, 1.1F * (found.high.x - found.low.x));
}

TEST(Candidates, ComeNearestFirst) {
  const auto scene = MakeScene(SceneKind::kStreet, 2);
  PosedFrame frame;
  TestMotion(*scene, &frame, 1, 0.1F, Random(2));
  MoverTable movers;
  FillMovers(*scene, 0.0F, 0.0F, movers);
  Random random(3);
  Candidates candidates;
  FindCandidates(*scene, movers, BoundsOf(TileRays(frame, random)), candidates);
  ASSERT_GT(candidates.count, 1);
  for (int i = 1; i < candidates.count; ++i) EXPECT_LE(candidates.near[i - 1], candidates.near[i]);
}

// Along an axis where rays go both ways, along one where all stand still, and where all go one way.
TEST(Candidates, BoxesBesideAndBehindTheRaysAreNone) {
  const Bundle bundle = ToBundle(
      BoundsOf({{{0.0F, 0.0F, 0.0F}, {1.0F, 0.1F, 0.0F}}, {{0.1F, 0.0F, 0.0F}, {1.0F, -0.1F, 0.0F}}}));
  const auto box = [](Vec3 middle) {
    Node node;
    node.low = middle - Vec3{0.5F, 0.5F, 0.5F};
    node.high = middle + Vec3{0.5F, 0.5F, 0.5F};
    return node;
  };
  EXPECT_NEAR(EnterBox(box({10.0F, 0.0F, 0.0F}), bundle), 9.4F, 1e-5F);
  EXPECT_EQ(EnterBox(box({0.0F, 0.0F, 0.0F}), bundle), 0.0F);
  EXPECT_LT(EnterBox(box({10.0F, 1.4F, 0.0F}), bundle), kFar);
  EXPECT_EQ(EnterBox(box({-10.0F, 0.0F, 0.0F}), bundle), kFar);  // behind
  EXPECT_EQ(EnterBox(box({10.0F, 3.0F, 0.0F}), bundle), kFar);   // beside
  EXPECT_EQ(EnterBox(box({10.0F, 0.0F, 1.0F}), bundle), kFar);   // above
}

INSTANTIATE_TEST_SUITE_P(EveryKind, CandidatesTest, testing::Range(0, kSceneKindCount), KindName);

}  // namespace
}  // namespace calfvo::synth
