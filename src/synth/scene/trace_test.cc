// SPDX-License-Identifier: Apache-2.0
#include "synth/scene/trace.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/portable/random.h"
#include "synth/scene/scene_kind.h"
#include "synth/scene/test_kinds.h"
#include "synth/scene/test_motion.h"

namespace calfvo::synth {
namespace {

using portable::Random;

// Every primitive in turn.
Hit BruteForce(const Scene& scene, const MoverTable& movers, float dt, const Ray& ray) {
  Hit hit;
  const float ground = IntersectGround(scene.terrain, ray, kFar);
  if (ground < kFar) hit = {ground, kGround};
  for (int i = 0; i < scene.primitive_count; ++i) {
    const Primitive& p = scene.primitives[i];
    Ray moved = ray;
    if (p.mover() >= 0) moved.origin = ray.origin - movers.OffsetAt(p.mover(), dt);
    const float t = IntersectPrimitive(p, moved);
    if (t < hit.t) hit = {t, i};
  }
  return hit;
}

class TraceTest : public testing::TestWithParam<int> {};

TEST_P(TraceTest, EqualsBruteForce) {
  const auto kind = static_cast<SceneKind>(GetParam());
  Random random(7);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const auto scene = MakeScene(kind, seed);
    MoverTable movers;
    FillMovers(*scene, 1.5F, 0.1F, movers);
    for (int i = 0; i < 1500; ++i) {
      const Vec3 low = scene->space_low[0];
      const Vec3 high = scene->space_high[0];
      const Vec3 from{random.Uniform(low.x, high.x), random.Uniform(low.y, high.y),
                      random.Uniform(low.z, high.z)};
      Vec3 direction{random.Normal(), random.Normal(), random.Normal()};
      if (i % 10 == 0) direction = {0.0F, i % 20 == 0 ? 1.0F : -1.0F, 0.0F};  // along an axis
      const Ray ray{from, Normalized(direction)};
      const float dt = random.Uniform(-0.1F, 0.1F);
      const Hit fast = Trace(*scene, movers, dt, ray);
      const Hit slow = BruteForce(*scene, movers, dt, ray);
      ASSERT_EQ(fast.t, slow.t) << "seed " << seed << " ray " << i;
      if (slow.primitive >= 0) {
        EXPECT_TRUE(IsHidden(*scene, movers, dt, ray, slow.t * 1.01F));
        EXPECT_FALSE(slow.t > 0.1F && IsHidden(*scene, movers, dt, ray, slow.t * 0.99F));
      }
    }
  }
}

TEST_P(TraceTest, HierarchyHoldsEveryStaticPrimitiveOnce) {
  const auto scene = MakeScene(static_cast<SceneKind>(GetParam()), 3);
  std::vector<int> seen(static_cast<size_t>(scene->primitive_count), 0);
  for (int n = 0; n < scene->node_count; ++n) {
    if (n == 1) continue;
    const Node& node = scene->nodes[n];
    for (int i = node.first; i < node.first + node.count; ++i) ++seen[static_cast<size_t>(i)];
    EXPECT_LE(node.count, 8);
  }
  for (int i = 0; i < scene->primitive_count; ++i) {
    EXPECT_EQ(seen[static_cast<size_t>(i)], i < scene->static_count ? 1 : 0);
    EXPECT_EQ(scene->primitives[i].mover() < 0, i < scene->static_count);
  }
}

// Where faces of two things lie in one plane, rounding decides which of them a ray meets first, and the
// image gets speckles that do not move with anything.
TEST_P(TraceTest, FacesOfDifferentThingsLieInDifferentPlanes) {
  constexpr int kSide = 48;
  const auto kind = static_cast<SceneKind>(GetParam());
  int rays = 0;
  int changed = 0;
  for (uint64_t seed = 0; seed < 24; ++seed) {
    const auto scene = MakeScene(kind, seed);
    PosedFrame frame;
    TestMotion(*scene, &frame, 1, 0.1F, portable::Random(seed));
    MoverTable movers;
    FillMovers(*scene, 0.0F, 0.0F, movers);
    for (int i = 0; i < kSide * kSide; ++i) {
      const Vec3 in_camera{2.0F * static_cast<float>(i % kSide) / kSide - 1.0F,
                           2.0F * static_cast<float>(i / kSide) / kSide - 1.0F, 1.0F};
      const Ray ray{frame.world_from_camera.translation,
                    Normalized(frame.world_from_camera.rotation * in_camera)};
      const Ray later{ray.origin + ray.direction * 1e-3F, ray.direction};
      ++rays;
      changed += Trace(*scene, movers, 0.0F, ray).primitive != Trace(*scene, movers, 0.0F, later).primitive;
    }
  }
  EXPECT_LT(changed, rays / 5000);
}

INSTANTIATE_TEST_SUITE_P(EveryKind, TraceTest, testing::Range(0, kSceneKindCount), KindName);

}  // namespace
}  // namespace calfvo::synth
