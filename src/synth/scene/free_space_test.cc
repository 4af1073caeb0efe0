// SPDX-License-Identifier: Apache-2.0
#include "synth/scene/free_space.h"

#include <gtest/gtest.h>

#include "core/portable/random.h"
#include "synth/scene/bvh.h"
#include "synth/scene/scene_kind.h"
#include "synth/scene/start.h"
#include "synth/scene/test_kinds.h"
#include "synth/scene/test_motion.h"

namespace calfvo::synth {
namespace {

using portable::Random;

class FreeSpaceTest : public testing::TestWithParam<int> {};

TEST_P(FreeSpaceTest, NothingIsNearerThanTheClearance) {
  const auto kind = static_cast<SceneKind>(GetParam());
  Random random(11);
  int free = 0;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const auto scene = MakeScene(kind, seed);
    const float time_s = random.Uniform(0.0F, 5.0F);
    MoverTable movers;
    FillMovers(*scene, time_s, 0.0F, movers);
    for (int i = 0; i < 60; ++i) {
      const Vec3 low = scene->space_low[i % 2];
      const Vec3 high = scene->space_high[i % 2];
      const Vec3 p{random.Uniform(low.x, high.x), random.Uniform(low.y, high.y),
                   random.Uniform(low.z, Min(high.z, low.z + 20.0F))};
      const float clearance = random.Uniform(0.05F, 0.6F);
      if (!IsFree(*scene, p, clearance, time_s)) continue;
      ++free;
      for (int j = 0; j < 40; ++j) {
        const Vec3 direction = Normalized(Vec3{random.Normal(), random.Normal(), random.Normal()});
        EXPECT_GT(Trace(*scene, movers, 0.0F, {p, direction}).t, 0.98F * clearance);
      }
    }
  }
  EXPECT_GT(free, 40);
}

TEST_P(FreeSpaceTest, InsideThingsAndOutsideTheSceneIsNotFree) {
  const auto scene = MakeScene(static_cast<SceneKind>(GetParam()), 5);
  int checked = 0;
  for (int i = 0; i < scene->primitive_count; ++i) {
    const Primitive& p = scene->primitives[i];
    Vec3 low;
    Vec3 high;
    Bounds(p, low, high);
    const Vec3 middle = (low + high) * 0.5F;
    EXPECT_FALSE(IsFree(*scene, middle, 0.01F, 0.0F)) << i;
    ++checked;
  }
  EXPECT_GT(checked, 50);
  const Vec3 beyond = scene->space_high[1] + Vec3{1.0F, 1.0F, 1.0F};
  EXPECT_FALSE(IsFree(*scene, beyond, 0.01F, 0.0F));
}

TEST_P(FreeSpaceTest, StartsAreFreeAndAtTheRightHeight) {
  const auto kind = static_cast<SceneKind>(GetParam());
  const bool aerial = kind == SceneKind::kAerialCity || kind == SceneKind::kAerialFields;
  Random random(12);
  int free = 0;
  constexpr int kTries = 80;
  for (int i = 0; i < kTries; ++i) {
    const auto scene = MakeScene(kind, static_cast<uint64_t>(100 + i));
    const auto carrier = static_cast<CameraCarrier>(i % 4);
    const Start start = SuggestStart(*scene, carrier, 0.2F, random);
    if (!start.free) continue;
    ++free;
    EXPECT_TRUE(IsFree(*scene, start.position, 0.2F, 0.0F));
    const float height = start.position.z - TerrainHeight(scene->terrain, start.position.x, start.position.y);
    if (aerial) {
      EXPECT_GE(height, 15.0F);
      EXPECT_LE(height, 120.0F);
    } else if (carrier == CameraCarrier::kHandheld) {
      EXPECT_GE(height, scene->sight_count > 0 ? 0.49F : 1.19F);
      EXPECT_LE(height, scene->sight_count > 0 ? 1.91F : 1.71F);
    } else if (carrier == CameraCarrier::kHead) {
      EXPECT_GE(height, 1.59F);
      EXPECT_LE(height, 1.81F);
    } else if (carrier == CameraCarrier::kVehicle) {
      EXPECT_GE(height, 1.19F);
      EXPECT_LE(height, 2.21F);
      if (kind == SceneKind::kStreet) {
        const bool back = std::cos(start.yaw) < 0.0F;
        EXPECT_FALSE(back && scene->lane_y[0] == scene->lane_y[1]) << "against the traffic";
        EXPECT_NEAR(start.position.y, scene->lane_y[back ? 1 : 0], 0.2F);
        EXPECT_LT(std::fabs(std::sin(start.yaw)), 0.05F);
      }
    } else {
      EXPECT_LE(height, 50.1F);
    }
  }
  EXPECT_GT(free, kTries * 9 / 10);
}

TEST(Start, HandsAreHeldAtTheSightsOfRooms) {
  Random random(13);
  int near = 0;
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    const auto scene = MakeScene(SceneKind::kRoom, static_cast<uint64_t>(i));
    const Start start = SuggestStart(*scene, CameraCarrier::kHandheld, 0.2F, random);
    const Vec3 ahead = LookPose(start.position, start.yaw, start.pitch, 0.0F).rotation.z;
    for (int s = 0; s < scene->sight_count; ++s) {
      const Vec3 to = scene->sights[s].point - start.position;
      if (Norm(to) > 2.5F || Dot(to, ahead) < 0.85F * Norm(to)) continue;
      ++near;
      break;
    }
  }
  EXPECT_GT(near, kTries / 2);
}

TEST_P(FreeSpaceTest, TestMotionStaysFree) {
  const auto kind = static_cast<SceneKind>(GetParam());
  int inside = 0;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const auto scene = MakeScene(kind, seed);
    PosedFrame frames[8];
    TestMotion(*scene, frames, 8, 0.1F, Random(seed));
    for (const PosedFrame& frame : frames) {
      inside += IsFree(*scene, frame.world_from_camera.translation, 0.02F, frame.time_s) ? 0 : 1;
    }
  }
  EXPECT_LE(inside, 8);  // movers may walk into a camera that waits for them
}

INSTANTIATE_TEST_SUITE_P(EveryKind, FreeSpaceTest, testing::Range(0, kSceneKindCount), KindName);

}  // namespace
}  // namespace calfvo::synth
