// SPDX-License-Identifier: Apache-2.0
// A large hall such as a station, a gallery or an airport: columns, benches, stands, boards, people.
#pragma once

#include "synth/scene/kind_warehouse.h"

namespace calfvo::synth {

CALFVO_HD_CALL void Bench(SceneBuilder& b, const IndoorMaterials& m, int seats) {
  const float width = 0.55F * static_cast<float>(seats);
  b.Box(0.0F, 0.0F, 0.3F, {width, 0.06F, 0.08F}, m.metal);
  b.Box(-0.4F * width, 0.0F, 0.0F, {0.06F, 0.5F, 0.38F}, m.metal);
  b.Box(0.4F * width, 0.0F, 0.0F, {0.06F, 0.5F, 0.38F}, m.metal);
  for (int i = 0; i < seats; ++i) {
    const float x = (static_cast<float>(i) + 0.5F) * 0.55F - 0.5F * width;
    b.Box(x, 0.0F, 0.4F, {0.48F, 0.45F, 0.05F}, m.cloth);
    b.Add(Shape::kBox, {x, 0.24F, 0.68F}, {0.24F, 0.02F, 0.22F}, m.cloth, 0.0F, -0.2F);
  }
}

CALFVO_HD_CALL void Kiosk(SceneBuilder& b, const IndoorMaterials& m) {
  Random& r = b.random();
  const float width = r.Uniform(2.0F, 4.0F);
  b.Box(0.0F, 0.0F, 0.0F, {width, 0.7F, 1.05F}, m.wood);
  b.Box(0.0F, -0.05F, 1.05F, {width + 0.1F, 0.85F, 0.05F}, m.white);
  b.Box(0.0F, 1.6F, 0.0F, {width, 0.1F, 2.6F}, m.poster);
  b.Box(0.0F, 0.6F, 2.5F, {width, 2.2F, 0.15F}, m.paint[1]);
  b.Cylinder(-0.5F * width, -0.3F, 0.0F, 0.05F, 2.5F, m.metal);
  b.Cylinder(0.5F * width, -0.3F, 0.0F, 0.05F, 2.5F, m.metal);
  Clutter(b, m, width, 0.6F, 0.0F, 1.1F, 5);
}

CALFVO_HD void BuildHall(SceneBuilder& b) {
  Random& r = b.random();
  Scene& scene = b.scene();
  const IndoorMaterials m = DrawIndoorMaterials(b);
  const float height = r.Uniform(5.0F, 14.0F);
  const Room q{-r.Uniform(10.0F, 25.0F), r.Uniform(10.0F, 25.0F), -r.Uniform(7.0F, 15.0F),
               r.Uniform(7.0F, 15.0F), height};
  scene.ground_material = r.Chance(0.6F) ? Tile(b, r.Uniform(0.4F, 1.0F), 0.5F) : InteriorFloor(b);
  const int wall = r.Chance(0.3F) ? Brick(b) : r.Chance(0.5F) ? Facade(b) : Concrete(b, 0.75F);
  const int column = r.Chance(0.5F) ? Concrete(b, 0.7F) : m.white;
  LightHall(b, height - 0.02F);
  Shell(b, q, wall, CeilingTiles(b, r.Uniform(0.6F, 2.0F)), m.metal, 15);
  for (int i = 0; i < 2; ++i) {
    scene.space_low[i] = {q.low_x, q.low_y, 0.0F};
    scene.space_high[i] = {q.high_x, q.high_y, height};
  }
  const float step = r.Uniform(4.5F, 8.0F);
  const float radius = r.Uniform(0.25F, 0.5F);
  const bool round = r.Chance(0.6F);
  for (float x = q.low_x + 0.5F * step; x < q.high_x; x += step) {
    for (int side = 0; side < 2; ++side) {
      b.Place({x, (side == 0 ? q.low_y : q.high_y) * 0.55F, 0.0F}, 0.0F);
      if (round) {
        b.Cylinder(0.0F, 0.0F, 0.0F, radius, height, column);
      } else {
        b.Box(0.0F, 0.0F, 0.0F, {2.0F * radius, 2.0F * radius, height}, column);
      }
      b.Box(0.0F, 0.0F, 0.0F, {2.6F * radius, 2.6F * radius, 0.25F}, m.metal);
      if (r.Chance(0.4F)) b.Box(0.0F, radius + 0.03F, 1.2F, {0.6F, 0.05F, 0.9F}, m.poster);
      b.Box(0.0F, 0.0F, height - 0.3F, {0.8F, 0.8F, 0.1F}, m.lamp);
    }
    b.Place({x, 0.0F, 0.0F}, 0.0F);
    b.Box(0.0F, 0.5F * (q.low_y + q.high_y), height - 0.5F, {0.3F, q.high_y - q.low_y, 0.4F}, m.metal);
  }
  for (int i = 0; i < 4; ++i) {
    const float length = i < 2 ? q.high_y - q.low_y : q.high_x - q.low_x;
    for (float at = 1.5F; at < length - 1.5F && b.PrimitivesLeft() > 110; at += r.Uniform(2.5F, 5.0F)) {
      PlaceAtWall(b, q, i, at / length);
      const float draw = r.Uniform();
      if (draw < 0.4F) {
        Door(b, m);
      } else if (draw < 0.75F) {
        const float width = r.Uniform(1.0F, 2.4F);
        const float bottom = r.Uniform(1.0F, 1.8F);
        b.Box(0.0F, -0.02F, bottom, {width, 0.06F, r.Uniform(1.0F, 1.8F)}, m.poster);
      } else {
        Kiosk(b, m);
      }
    }
  }
  for (int i = 0; i < 12 && b.PrimitivesLeft() > 45; ++i) {
    const float x = Mix(q.low_x + 2.0F, q.high_x - 2.0F, r.Uniform());
    const float y = Mix(q.low_y + 2.0F, q.high_y - 2.0F, r.Uniform());
    b.Place({x, y, 0.0F}, 1.5707963F * static_cast<float>(r.Index(4)));
    const float draw = r.Uniform();
    if (draw < 0.4F) {
      Bench(b, m, 2 + r.Index(3));
    } else if (draw < 0.6F) {
      Table(b, m, 0.8F, 0.8F, 0.74F, m.white);
      Clutter(b, m, 0.8F, 0.6F, 0.0F, 0.74F, 2);
      b.Place(b.ToWorld({0.0F, 0.6F, 0.0F}), 0.0F);
      Chair(b, m, m.wood);
    } else if (draw < 0.75F) {
      Plant(b, m, r.Uniform(1.2F, 2.2F));
    } else if (draw < 0.9F) {
      b.Box(0.0F, 0.0F, 0.0F, {0.9F, 0.12F, 1.9F}, m.poster);  // a stand with a notice
    } else {
      Kiosk(b, m);
    }
  }
  const PersonMaterials people = DrawPersonMaterials(b);
  for (int i = 0; i < 4; ++i) {
    const float x = Mix(q.low_x, q.high_x, r.Uniform(0.1F, 0.9F));
    const float y = Mix(q.low_y, q.high_y, r.Uniform(0.1F, 0.9F));
    b.Place({x, y, 0.0F}, r.Uniform(0.0F, 6.28F));
    Person(b, people, r.Uniform(1.5F, 1.9F));
  }
  const int walkers = r.Index(7);
  for (int i = 0; i < walkers; ++i) {
    const float x = Mix(q.low_x, q.high_x, r.Uniform(0.15F, 0.85F));
    const float y = Mix(q.low_y, q.high_y, r.Uniform(0.15F, 0.85F));
    const float yaw = r.Uniform(0.0F, 6.28F);
    MovingPerson(b, people, {x, y, 0.0F}, yaw, r.Uniform(0.5F, 1.6F), 0.03F);
  }
}

}  // namespace calfvo::synth
