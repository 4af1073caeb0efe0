// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/base/testing.h"
#include "synth/scene/bvh.h"
#include "synth/scene/free_space.h"
#include "synth/scene/scene_kind.h"
#include "synth/scene/trace.h"

namespace calfvo::synth {
namespace {

TEST(SceneKind, NamesAndKindsAgree) {
  for (int i = 0; i < kSceneKindCount; ++i) {
    const auto kind = static_cast<SceneKind>(i);
    EXPECT_EQ(SceneKindFromName(SceneKindName(kind)), kind);
  }
  const std::string message = ErrorFrom([] { SceneKindFromName("moon"); });
  EXPECT_NE(message.find("moon"), std::string::npos);
  EXPECT_NE(message.find("aerial-city"), std::string::npos);
}

TEST(Scene, SameSeedSameScene) {
  for (int i = 0; i < kSceneKindCount; ++i) {
    const auto a = MakeScene(static_cast<SceneKind>(i), 42);
    const auto b = MakeScene(static_cast<SceneKind>(i), 42);
    const auto c = MakeScene(static_cast<SceneKind>(i), 43);
    const auto bytes = static_cast<size_t>(a->primitive_count) * sizeof(Primitive);
    ASSERT_EQ(a->primitive_count, b->primitive_count);
    EXPECT_EQ(std::memcmp(a->primitives, b->primitives, bytes), 0);
    EXPECT_NE(std::memcmp(a->primitives, c->primitives, bytes), 0);
  }
}

TEST(Scene, FitsItsArraysAndIsFinite) {
  for (int i = 0; i < kSceneKindCount; ++i) {
    int total = 0;
    for (uint64_t seed = 0; seed < 60; ++seed) {
      const auto scene = MakeScene(static_cast<SceneKind>(i), seed);
      total += scene->primitive_count;
      EXPECT_LE(scene->primitive_count, kMaxPrimitives);
      EXPECT_LT(scene->material_count, kMaxMaterials);
      EXPECT_LE(scene->node_count, kMaxNodes);
      EXPECT_LE(scene->mover_count, kMaxMovers);
      for (int p = 0; p < scene->primitive_count; ++p) {
        EXPECT_LT(scene->primitives[p].material(), scene->material_count);
        for (const Vec4& row : scene->primitives[p].rows)
          ASSERT_TRUE(std::isfinite(row.x + row.y + row.z + row.w));
      }
    }
    EXPECT_GT(total / 60, 100) << "kind " << i;
  }
}

// Walks over all static boxes that stand upright.
template <typename Body>
void ForEachBox(const Scene& scene, Body&& body) {
  for (int i = 0; i < scene.static_count; ++i) {
    const Primitive& p = scene.primitives[i];
    if (p.shape() != Shape::kBox) continue;
    Vec3 low;
    Vec3 high;
    Bounds(p, low, high);
    body(p.half_size * 2.0F, low, high);
  }
}

TEST(Scene, RoomsHaveTheSizesOfRooms) {
  int doors = 0;
  int tables = 0;
  int seats = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto scene = MakeScene(SceneKind::kRoom, seed);
    const Vec3 size = scene->space_high[0] - scene->space_low[0];
    EXPECT_GE(size.z, 2.35F);
    EXPECT_LE(size.z, 3.0F);
    MoverTable movers;
    FillMovers(*scene, 0.0F, 0.0F, movers);
    const Vec3 middle{0.37F * size.x, 0.41F * size.y, size.z - 0.02F};
    const float up = Trace(*scene, movers, 0.0F, {middle, {0.0F, 0.0F, 1.0F}}).t;
    EXPECT_NEAR(up, 0.02F, 1e-3F);
    ForEachBox(*scene, [&](Vec3 full, Vec3 low, Vec3 high) {
      const float wide = Max(full.x, full.y);
      const float thin = Min(full.x, full.y);
      if (std::fabs(thin - 0.03F) < 1e-4F && wide > 0.75F && wide < 0.95F && low.z < 0.01F && full.z > 1.9F &&
          full.z < 2.3F) {
        ++doors;
        EXPECT_GE(full.z, 2.0F);
        EXPECT_LE(full.z, 2.1F);
      }
      if (full.z < 0.04F && full.x > 1.1F && thin > 0.6F && high.z > 0.6F && high.z < 0.85F) {
        ++tables;
        EXPECT_GE(high.z, 0.72F - 1e-3F);
        EXPECT_LE(high.z, 0.76F + 1e-3F);
      }
      if (std::fabs(full.x - 0.42F) < 1e-4F && std::fabs(full.z - 0.04F) < 1e-4F) {
        ++seats;
        EXPECT_NEAR(high.z, 0.45F, 1e-3F);
      }
    });
  }
  EXPECT_GT(doors, 10);
  EXPECT_GT(tables, 20);
  EXPECT_GT(seats, 30);
}

TEST(Scene, MoversHaveTheSizesOfCarsAndPeople) {
  int cars = 0;
  int people = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const auto scene = MakeScene(SceneKind::kStreet, seed);
    for (int m = 0; m < scene->mover_count; ++m) {
      const Mover& mover = scene->movers[m];
      const Vec3 size = mover.box.high - mover.box.low;
      if (size.x > 3.0F) {
        ++cars;
        EXPECT_GE(size.x, 3.8F);
        EXPECT_LE(size.x, 6.7F);
        EXPECT_GE(size.y, 1.69F);
        EXPECT_LE(size.y, 2.1F);
        EXPECT_GE(size.z, 1.4F);
        EXPECT_LE(size.z, 2.45F);
        EXPECT_GE(std::fabs(mover.velocity.x), 3.0F);
      } else {
        ++people;
        EXPECT_GE(size.z, 1.45F);
        EXPECT_LE(size.z, 2.0F);
        EXPECT_LE(Norm(mover.velocity), 1.8F);
      }
    }
    const float apart = std::fabs(scene->lane_y[1] - scene->lane_y[0]);
    const bool one_way = apart == 0.0F;
    const float lane = one_way ? 2.0F * scene->passage_half : apart;
    EXPECT_GE(lane, one_way ? 3.2F : 2.0F);
    EXPECT_LE(lane, one_way ? 5.0F : 3.7F);
    EXPECT_NEAR(scene->materials[scene->ground_material].scale_u, lane, 1e-6F);
  }
  EXPECT_GT(cars, 60);
  EXPECT_GT(people, 60);
}

TEST(Scene, StreetsAreOfManyKinds) {
  int marked = 0;
  int one_way = 0;
  int keep_left = 0;
  int narrow = 0;
  int crowns = 0;
  int tall_houses = 0;
  constexpr int kStreets = 60;
  for (uint64_t seed = 0; seed < kStreets; ++seed) {
    const auto scene = MakeScene(SceneKind::kStreet, seed);
    marked += scene->materials[scene->ground_material].scale_v > 0.0F ? 1 : 0;
    one_way += scene->lane_y[0] == 0.0F ? 1 : 0;
    keep_left += scene->lane_y[0] > 0.0F ? 1 : 0;
    narrow += scene->passage_half < 3.0F ? 1 : 0;
    int tall = 0;
    for (int i = 0; i < scene->static_count; ++i) {
      crowns += scene->primitives[i].shape() == Shape::kCrown ? 1 : 0;
      tall += scene->primitives[i].shape() == Shape::kBox && scene->primitives[i].half_size.z > 5.0F ? 1 : 0;
    }
    tall_houses += tall > 5 ? 1 : 0;
  }
  EXPECT_NEAR(marked, 0.45 * kStreets, 12);
  EXPECT_NEAR(one_way, 0.2 * kStreets, 10);
  EXPECT_NEAR(keep_left, 0.24 * kStreets, 10);
  EXPECT_NEAR(narrow, 0.45 * kStreets, 12);
  EXPECT_NEAR(tall_houses, 0.35 * kStreets, 12);
  EXPECT_GT(crowns, 15 * kStreets);
}

TEST(Scene, RoomsHaveWorktopsAtTheHeightOfWorktops) {
  int worktops = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto scene = MakeScene(SceneKind::kRoom, seed);
    EXPECT_GT(scene->sight_count, 0);
    for (int i = 0; i < scene->sight_count; ++i) {
      EXPECT_TRUE(IsInside(scene->space_low[0], scene->space_high[0], scene->sights[i].point) ||
                  IsInside(scene->space_low[1], scene->space_high[1], scene->sights[i].point));
    }
    ForEachBox(*scene, [&](Vec3 full, Vec3, Vec3 high) {
      if (std::fabs(full.z - 0.035F) > 1e-4F || std::fabs(full.y - 0.62F) > 1e-4F) return;
      ++worktops;
      EXPECT_NEAR(high.z, 0.905F, 1e-3F);
    });
  }
  EXPECT_GT(worktops, 15);
}

TEST(Scene, MoversGoWhereTheirVelocitySays) {
  Mover mover;
  mover.velocity = {2.0F, 0.0F, 0.0F};
  mover.swing = {0.0F, 0.5F, 0.0F};
  mover.rate = 3.0F;
  mover.phase = 1.0F;
  EXPECT_NEAR(Norm(MoverOffset(mover, 0.0F)), 0.0F, 1e-6F);
  const Vec3 at = MoverOffset(mover, 0.7F);
  EXPECT_NEAR(at.x, 1.4F, 1e-5F);
  EXPECT_NEAR(at.y, 0.5F * (std::sin(3.1F) - std::sin(1.0F)), 1e-5F);
  const MoverState state = StateOf(mover, 0.7F);
  EXPECT_NEAR(state.velocity.y, 1.5F * std::cos(3.1F), 1e-3F);
}

TEST(Numeric, SinCosIsAccurate) {
  for (float x = -900.0F; x < 900.0F; x += 0.37F) {
    float sine = 0.0F;
    float cosine = 0.0F;
    SinCos(x, sine, cosine);
    EXPECT_NEAR(sine, std::sin(static_cast<double>(x)), 1e-4);
    EXPECT_NEAR(cosine, std::cos(static_cast<double>(x)), 1e-4);
  }
}

}  // namespace
}  // namespace calfvo::synth
