// SPDX-License-Identifier: Apache-2.0
// Hills with trees, bushes, rocks, a fence and a hut. The heights are made before, see make_terrain.h.
#pragma once

#include "synth/scene/outdoor_objects.h"
#include "synth/scene/people.h"
#include "synth/scene/terrain.h"

namespace calfvo::synth {

CALFVO_HD void PlaceOnGround(SceneBuilder& b, float x, float y, float yaw) {
  b.Place({x, y, TerrainHeight(b.scene().terrain, x, y)}, yaw);
}

CALFVO_HD void BuildTerrainScene(SceneBuilder& b) {
  Random& r = b.random();
  Scene& scene = b.scene();
  const OutdoorMaterials m = DrawOutdoorMaterials(b);
  Daylight(b);
  const int rock = Plain(b, Rgb(0.5F, 0.48F, 0.45F), 0.4F, 3.0F);
  scene.ground_material = Grass(b);
  for (int i = 0; i < 2; ++i) {
    scene.space_low[i] = {-70.0F, -70.0F, scene.terrain.low};
    scene.space_high[i] = {70.0F, 70.0F, scene.terrain.high + 60.0F};
  }
  const int trees = 10 + r.Index(45);
  for (int i = 0; i < trees; ++i) {
    const float x = r.Uniform(-85.0F, 85.0F);
    const float y = r.Uniform(-85.0F, 85.0F);
    PlaceOnGround(b, x, y, r.Uniform(0.0F, 6.28F));
    Tree(b, m, r.Uniform(3.0F, 14.0F), x * x + y * y < 1600.0F ? 5 : 3);
  }
  const int bushes = 15 + r.Index(30);
  for (int i = 0; i < bushes; ++i) {
    const float x = r.Uniform(-45.0F, 45.0F);
    const float y = r.Uniform(-45.0F, 45.0F);
    PlaceOnGround(b, x, y, r.Uniform(0.0F, 6.28F));
    Bush(b, m, r.Uniform(0.3F, 1.3F));
  }
  const int rocks = 15 + r.Index(40);
  for (int i = 0; i < rocks && b.PrimitivesLeft() > 55; ++i) {
    const float x = r.Uniform(-45.0F, 45.0F);
    const float y = r.Uniform(-45.0F, 45.0F);
    PlaceOnGround(b, x, y, r.Uniform(0.0F, 6.28F));
    const float draw = r.Uniform();
    const float size = 0.15F + 1.2F * draw * draw * draw;
    const Shape shape = r.Chance(0.7F) ? Shape::kSphere : Shape::kTapered;
    b.Add(shape, {0.0F, 0.0F, 0.2F * size}, {size, size * 0.7F, size * 0.6F}, rock, 0.0F,
          r.Uniform(-0.3F, 0.3F));
  }
  // A fence or low wall that follows the ground, posts every 2 m.
  if (r.Chance(0.6F)) {
    const float y0 = r.Uniform(-15.0F, 15.0F);
    for (int i = 0; i < 24 && b.PrimitivesLeft() > 8; ++i) {
      PlaceOnGround(b, -24.0F + 2.0F * static_cast<float>(i), y0, 0.0F);
      b.Box(0.0F, 0.0F, -0.2F, {0.1F, 0.1F, 1.3F}, m.wood);
      b.Box(1.0F, 0.0F, 0.75F, {2.0F, 0.04F, 0.12F}, m.wood);
    }
  }
  if (r.Chance(0.5F)) {
    const int facade = Facade(b);
    const float x = r.Uniform(-30.0F, 30.0F);
    const float y = r.Uniform(-30.0F, 30.0F);
    PlaceOnGround(b, x, y, r.Uniform(0.0F, 6.28F));
    const float width = r.Uniform(7.0F, 12.0F);
    const float depth = r.Uniform(6.0F, 9.0F);
    Building(b, m, width, depth, 1 + r.Index(2), facade, false);
  }
  if (r.Chance(0.4F)) {
    const PersonMaterials people = DrawPersonMaterials(b);
    const float x = r.Uniform(-15.0F, 15.0F);
    const float y = r.Uniform(-15.0F, 15.0F);
    MovingPerson(b, people, {x, y, TerrainHeight(scene.terrain, x, y)}, r.Uniform(0.0F, 6.28F), 0.0F, 0.6F);
  }
}

}  // namespace calfvo::synth
