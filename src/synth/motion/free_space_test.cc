// SPDX-License-Identifier: Apache-2.0
#include "synth/motion/free_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "synth/motion/camera_motion.h"

namespace calfvo::motion {
namespace {

struct Box {
  Vec3 low;
  Vec3 high;
};

bool Inside(const Box& box, Vec3 p, float margin) {
  return p.x > box.low.x - margin && p.x < box.high.x + margin && p.y > box.low.y - margin &&
         p.y < box.high.y + margin && p.z > box.low.z - margin && p.z < box.high.z + margin;
}

// A walled space with boxes in it, z up.
struct Room {
  Box walls;
  std::vector<Box> boxes;
  float margin_m = 0.1F;

  bool operator()(Vec3 p) const {
    if (!Inside(walls, p, -margin_m)) return false;
    return std::none_of(boxes.begin(), boxes.end(), [&](const Box& box) { return Inside(box, p, margin_m); });
  }
};

Room FurnishedRoom() {
  return {{{0, 0, 0}, {5, 4, 2.6F}},
          {{{1, 1, 0}, {2.5F, 1.8F, 0.75F}}, {{4, 0, 0}, {5, 1, 2}}, {{2.2F, 3, 0}, {2.4F, 3.2F, 2.6F}}}};
}

Room CrossRoads() {
  Room room{{{-80, -80, 0}, {80, 80, 30}}, {}, 0.5F};
  for (const float x : {-80.0F, 7.0F}) {
    for (const float y : {-80.0F, 7.0F}) room.boxes.push_back({{x, y, 0}, {x + 73.0F, y + 73.0F, 20}});
  }
  return room;
}

struct Walk {
  int frames = 0;
  int standing = 0;
  float farthest_m = 0.0F;
};

// Walks and checks that each frame is free, and that no half-way pose is near a surface.
Walk CheckedWalk(const Room& room, MotionKind kind, Vec3 position, uint64_t seed, int frames) {
  MotionStart start;
  start.kind = kind;
  start.frame_rate_hz = 20.0F;
  start.position = position;
  CameraMotion camera(start, portable::Random(seed));
  Walk walk{frames};
  Room surfaces = room;
  surfaces.margin_m *= 0.7F;
  for (int i = 0; i < frames; ++i) {
    const Pose before = camera.world_from_camera();
    const Pose step = camera.Step(room);
    const Pose& after = camera.world_from_camera();
    EXPECT_TRUE(room(after.translation)) << MotionKindName(kind) << " frame " << i;
    EXPECT_TRUE(surfaces(PoseBetween(before, after, 0.5F).translation))
        << MotionKindName(kind) << " frame " << i;
    if (Norm(step.translation) == 0.0F) ++walk.standing;
    walk.farthest_m = std::max(walk.farthest_m, Norm(after.translation - position));
  }
  return walk;
}

class FreeSpaceTest : public testing::TestWithParam<int> {
 protected:
  MotionKind kind() const { return static_cast<MotionKind>(GetParam()); }
};

TEST_P(FreeSpaceTest, NeverLeavesAFurnishedRoom) {
  const Room room = FurnishedRoom();
  Walk all;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Walk walk = CheckedWalk(room, kind(), {3.2F, 2.2F, 1.4F}, seed, 1000);
    all.frames += walk.frames;
    all.standing += walk.standing;
    all.farthest_m = std::max(all.farthest_m, walk.farthest_m);
  }
  if (kind() == MotionKind::kStatic || kind() == MotionKind::kPureRotation || kind() == MotionKind::kVehicle)
    return;
  EXPECT_LT(all.standing, all.frames / 50);
  EXPECT_GT(all.farthest_m, 1.0F);
}

TEST_P(FreeSpaceTest, NeverLeavesACloset) {
  const Room closet{{{0, 0, 0}, {0.6F, 0.5F, 2.2F}}, {}};
  for (uint64_t seed = 0; seed < 10; ++seed) CheckedWalk(closet, kind(), {0.3F, 0.25F, 1.4F}, seed, 500);
}

TEST_P(FreeSpaceTest, NeverLeavesTheStreets) {
  const Room roads = CrossRoads();
  for (uint64_t seed = 0; seed < 10; ++seed) CheckedWalk(roads, kind(), {-60, 0, 1.6F}, seed, 500);
}

INSTANTIATE_TEST_SUITE_P(Kinds, FreeSpaceTest, testing::Range(0, kMotionKindCount),
                         [](const auto& parameter) {
                           std::string name(kMotionKindNames[static_cast<size_t>(parameter.param)]);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(FreeSpaceTest, VehiclesFollowTheStreets) {
  const Room roads = CrossRoads();
  float farthest_m = 0.0F;
  int far = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Walk walk = CheckedWalk(roads, MotionKind::kVehicle, {-60, 0, 1.6F}, 900 + seed, 300);
    farthest_m = std::max(farthest_m, walk.farthest_m);
    if (walk.farthest_m > 40.0F) ++far;
  }
  EXPECT_GT(farthest_m, 70.0F);
  EXPECT_GT(far, 20);
}

TEST(FreeSpaceTest, SlidesAlongAWall) {
  const auto left_of_wall = [](Vec3 p) { return p.x < 1.0F; };
  const Vec3 up{0, 0, 1};
  const Vec3 moved = FreeDisplacement(left_of_wall, {0.95F, 0, 0}, {0.1F, 0.1F, 0}, up);
  EXPECT_LE(moved.x, 0.05F);
  EXPECT_GT(moved.y, 0.05F);
}

TEST(FreeSpaceTest, StaysWhereNothingIsFree) {
  const auto nowhere = [](Vec3) { return false; };
  EXPECT_EQ(Norm(FreeDisplacement(nowhere, {}, {0.1F, 0.1F, 0.1F}, {0, 0, 1})), 0.0F);
}

TEST(FreeSpaceTest, LooksForTheWayOut) {
  const auto corridor = [](Vec3 p) { return p.x < 1.0F && p.x > -1.0F; };
  const Outlook blocked = LookAhead(corridor, {0.8F, 0, 0}, {1, 0, 0}, {0, 0, 1});
  EXPECT_LT(blocked.free_part, 0.3F);
  EXPECT_LT(blocked.way_out.x, 0.3F);
  const Outlook open = LookAhead(corridor, {0.8F, 0, 0}, {0, 1, 0}, {0, 0, 1});
  EXPECT_EQ(open.free_part, 1.0F);
  EXPECT_EQ(Norm(open.way_out), 0.0F);
}

}  // namespace
}  // namespace calfvo::motion
