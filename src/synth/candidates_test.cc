// SPDX-License-Identifier: Apache-2.0
#include "synth/candidates.h"

#include <gtest/gtest.h>

#include <vector>

#include "portable/random.h"
#include "synth/posed_frame.h"
#include "synth/scene_kind.h"
#include "synth/test_kinds.h"
#include "synth/test_motion.h"

namespace calfvo::synth {
namespace {

using portable::Random;

// Rays through a tile of a picture, from a camera that moves meanwhile.
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

Bundle BundleOf(const std::vector<Ray>& rays) {
  RayBounds bounds;
  for (const Ray& ray : rays) Include(ray, bounds);
  return ToBundle(bounds);
}

class CandidatesTest : public testing::TestWithParam<int> {};

TEST_P(CandidatesTest, RaysMeetWhatTheyMeetInTheWholeScene) {
  const auto kind = static_cast<SceneKind>(GetParam());
  Random random(11);
  int64_t found = 0;
  int64_t places = 0;
  int too_many = 0;
  int tiles = 0;
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
      FindCandidates(*scene, movers, BundleOf(rays), candidates);
      for (const Ray& ray : rays) {
        const float dt = random.Uniform(-0.1F, 0.1F);
        const Hit hit = TraceAmong(candidates, *scene, movers, dt, ray);
        ASSERT_EQ(hit.t, Trace(*scene, movers, dt, ray).t) << "seed " << seed << " tile " << tile;
      }
      ++tiles;
      too_many += candidates.count > kMaxCandidates ? 1 : 0;
      found += candidates.count;
      places += CandidatePlaces(*scene) / 2;  // about every other node is a leaf
    }
  }
  // Else they would be of no use.
  EXPECT_LT(too_many, tiles / 20);
  EXPECT_LT(found, places / 4);
}

TEST(Candidates, ComeNearestFirst) {
  const auto scene = MakeScene(SceneKind::kStreet, 2);
  PosedFrame frame;
  TestMotion(*scene, &frame, 1, 0.1F, Random(2));
  MoverTable movers;
  FillMovers(*scene, 0.0F, 0.0F, movers);
  Random random(3);
  Candidates candidates;
  FindCandidates(*scene, movers, BundleOf(TileRays(frame, random)), candidates);
  ASSERT_GT(candidates.count, 1);
  for (int i = 1; i < candidates.count; ++i) EXPECT_LE(candidates.near[i - 1], candidates.near[i]);
}

// Along an axis where rays go both ways, along one where all stand still, and where all go one way.
TEST(Candidates, BoxesBesideAndBehindTheRaysAreNone) {
  const Bundle bundle =
      BundleOf({{{0.0F, 0.0F, 0.0F}, {1.0F, 0.1F, 0.0F}}, {{0.1F, 0.0F, 0.0F}, {1.0F, -0.1F, 0.0F}}});
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
