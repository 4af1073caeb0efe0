// SPDX-License-Identifier: Apache-2.0
// A warehouse with racks of boxes on pallets of 1.2 × 0.8 m and shelves of products, and a corridor with
// doors.
#pragma once

#include "synth/scene/kind_room.h"

namespace calfvo::synth {

CALFVO_HD_CALL void Pallet(SceneBuilder& b, int wood, float x, float y, float z) {
  b.Box(x, y, z + 0.1F, {1.2F, 0.8F, 0.044F}, wood);
  b.Box(x, y, z, {1.2F, 0.1F, 0.1F}, wood);
  b.Box(x, y - 0.35F, z, {1.2F, 0.1F, 0.1F}, wood);
  b.Box(x, y + 0.35F, z, {1.2F, 0.1F, 0.1F}, wood);
}

// Light of a large covered space: an even ceiling, and what it throws back.
CALFVO_HD_CALL void LightHall(SceneBuilder& b, float ceiling) {
  Random& r = b.random();
  Light& light = b.scene().light;
  light.ceiling = ceiling - 0.05F;  // shadow rays end short of the roof
  light.direction = Normalized(Vec3{r.Uniform(-0.5F, 0.5F), r.Uniform(-0.5F, 0.5F), 1.0F});
  const float warm = r.Uniform();
  light.color = Mix(Vec3{0.93F, 0.97F, 1.0F}, Vec3{1.0F, 0.88F, 0.7F}, warm) * r.Uniform(0.35F, 0.7F);
  const float ambient = r.Uniform(0.35F, 0.6F);
  light.from_above = Vec3{0.97F, 1.0F, 1.0F} * ambient;
  light.from_below = Vec3{0.8F, 0.78F, 0.75F} * ambient;
  light.horizon = light.zenith = {0.55F, 0.58F, 0.6F};
  light.occlusion = 0.9F;
}

CALFVO_HD void BuildWarehouse(SceneBuilder& b) {
  Random& r = b.random();
  Scene& scene = b.scene();
  const IndoorMaterials m = DrawIndoorMaterials(b);
  const int steel =
      Plain(b, r.Chance(0.5F) ? Rgb(0.15F, 0.3F, 0.6F) : Rgb(0.8F, 0.4F, 0.1F), 0.15F, 4.0F, 0.3F);
  const int beam = Plain(b, Rgb(0.85F, 0.42F, 0.08F), 0.15F, 4.0F, 0.2F);
  const int pallet = Wood(b, false);
  scene.ground_material = Concrete(b, 0.6F);
  const int wall = r.Chance(0.5F) ? Concrete(b, 0.7F) : Brick(b);
  const float height = r.Uniform(5.0F, 9.0F);
  const float aisle = r.Uniform(2.6F, 3.4F);
  const float length = r.Uniform(18.0F, 30.0F);
  const float pitch = aisle + 2.3F;  // an aisle and two racks back to back
  const Room hall{-0.5F * length, 0.5F * length, -1.5F * pitch, 1.5F * pitch, height};
  LightHall(b, height);
  Shell(b, hall, wall, Concrete(b, 0.6F), m.metal, 15);
  for (int i = 0; i < 2; ++i) {
    scene.space_low[i] = {hall.low_x, hall.low_y, 0.0F};
    scene.space_high[i] = {hall.high_x, hall.high_y, height};
  }
  scene.passage_half = 0.5F * aisle;
  scene.lane_y[0] = 0.0F;
  scene.lane_y[1] = 0.0F;
  // Strips of light and beams under the roof.
  b.Place({0.0F, 0.0F, 0.0F}, 0.0F);
  for (float x = hall.low_x + 2.0F; x < hall.high_x; x += 5.0F) {
    b.Box(x, 0.0F, height - 0.4F, {0.15F, 3.0F * pitch, 0.3F}, m.metal);
    b.Box(x + 2.5F, 0.0F, height - 0.25F, {0.2F, aisle * 0.6F, 0.08F}, m.lamp);
  }
  // Shelves for small things at one end.
  const int shelves_for_picking = r.Chance(0.7F) ? 2 : 0;
  for (int i = 0; i < shelves_for_picking; ++i) {
    PlaceAtWall(b, hall, 0, 0.5F + (i == 0 ? 0.7F : -0.7F) / (3.0F * pitch));
    ProductShelf(b, m, r.Chance(0.5F) ? steel : m.metal);
  }
  const float levels = r.Uniform(1.4F, 1.9F);
  const float from = hall.low_x + 3.0F;
  const float to = hall.high_x - 3.0F;
  // Stacks that are seen only between the others: one box per shelf, drawn as many.
  Material stacks;
  stacks.pattern = Pattern::kTile;
  stacks.a = Rgb(0.68F, 0.53F, 0.37F);
  stacks.b = Rgb(0.5F, 0.4F, 0.34F);
  stacks.c = Rgb(0.12F, 0.1F, 0.08F);
  stacks.scale_u = 1.3F;
  stacks.scale_v = 0.5F;
  stacks.noise_amount = 0.3F;
  stacks.noise_frequency = 2.0F;
  const int stack = b.AddMaterial(stacks);
  for (int row = 0; row < 4; ++row) {  // the two beside the middle aisle first
    const float side = (row & 1) != 0 ? 1.0F : -1.0F;
    const bool detailed = row < 2;
    const float y = side * (0.5F * aisle + (detailed ? 0.55F : aisle + 1.8F));
    const int shelves = static_cast<int>((height - 1.0F) / levels);
    for (int level = 1; level <= shelves; ++level) {
      b.Place({0.0F, y, 0.0F}, 0.0F);
      b.Box(0.5F * (from + to), -0.5F, levels * static_cast<float>(level) - 0.1F, {to - from, 0.05F, 0.12F},
            beam);
      if (!detailed) {
        b.Box(0.5F * (from + to), 0.0F, levels * static_cast<float>(level) + 0.02F,
              {to - from, 0.8F, levels * 0.7F}, stack);
      }
      b.Box(0.5F * (from + to), 0.5F, levels * static_cast<float>(level) - 0.1F, {to - from, 0.05F, 0.12F},
            beam);
    }
    for (float x = from; x <= to; x += 2.7F) {
      b.Place({x, y, 0.0F}, 0.0F);
      const float top = Min(height - 0.6F, levels * static_cast<float>(shelves) + 0.9F);
      b.Box(0.0F, -0.5F, 0.0F, {0.09F, 0.09F, top}, steel);
      b.Box(0.0F, 0.5F, 0.0F, {0.09F, 0.09F, top}, steel);
      for (int level = 0; level <= shelves && x + 2.0F < to && detailed; ++level) {
        for (int slot = 0; slot < 2; ++slot) {
          if (r.Chance(0.25F) || b.PrimitivesLeft() < 12) continue;
          const float z = levels * static_cast<float>(level) + 0.02F;
          const float px = 0.72F + 1.28F * static_cast<float>(slot);
          const float load = r.Uniform(0.35F, levels - 0.35F);
          const int what = r.Index(5);
          if (detailed && level < 2 && b.PrimitivesLeft() > 70) {
            Pallet(b, pallet, px, 0.0F, z);
          } else {
            b.Box(px, 0.0F, z, {1.2F, 0.8F, 0.144F}, pallet);
          }
          const int material = what < 2 ? m.cardboard : what == 2 ? m.poster : m.paint[r.Index(4)];
          b.Box(px, 0.0F, z + 0.144F, {r.Uniform(0.9F, 1.15F), 0.78F, load}, material);
        }
      }
    }
  }
  for (int i = 0; i < 4; ++i) {  // loose things at the feet of the racks
    const float x = r.Uniform(from, to);
    const float y = (r.Chance(0.5F) ? 0.45F : -0.45F) * aisle;
    b.Place({x, y, 0.0F}, r.Uniform(0.0F, 6.28F));
    b.Box(0.0F, 0.0F, 0.0F, {r.Uniform(0.2F, 0.5F), r.Uniform(0.2F, 0.4F), r.Uniform(0.2F, 0.5F)},
          m.cardboard);
  }
  if (r.Chance(0.4F)) {
    const float x = r.Uniform(from, to);
    const float y = r.Uniform(-0.2F, 0.2F) * aisle;
    const PersonMaterials person = DrawPersonMaterials(b);
    MovingPerson(b, person, {x, y, 0.0F}, 1.57F, r.Uniform(-1.4F, 1.4F), 0.05F);
  }
}

CALFVO_HD void BuildCorridor(SceneBuilder& b) {
  Random& r = b.random();
  Scene& scene = b.scene();
  const IndoorMaterials m = DrawIndoorMaterials(b);
  const float width = r.Uniform(1.5F, 2.8F);
  const float length = r.Uniform(15.0F, 35.0F);
  const float height = r.Uniform(2.4F, 3.0F);
  const Room q{-0.5F * length, 0.5F * length, -0.5F * width, 0.5F * width, height};
  scene.ground_material = InteriorFloor(b);
  const int wall = InteriorWall(b);
  const int ceiling = CeilingTiles(b, 0.6F);
  LightHall(b, height - 0.02F);
  Shell(b, q, wall, ceiling, m.dark_wood, 15);
  for (int i = 0; i < 2; ++i) {
    scene.space_low[i] = {q.low_x, q.low_y, 0.0F};
    scene.space_high[i] = {q.high_x, q.high_y, height};
  }
  scene.passage_half = 0.3F * width;
  for (float x = q.low_x + 1.5F; x < q.high_x; x += r.Uniform(2.2F, 3.2F)) {
    b.Place({x, 0.0F, height - 0.05F}, 0.0F);
    b.Box(0.0F, 0.0F, 0.0F, {1.2F, 0.3F, 0.05F}, m.lamp);
  }
  for (int side = 0; side < 2; ++side) {
    for (float x = 1.0F; x < length - 1.0F && b.PrimitivesLeft() > 60; x += r.Uniform(1.3F, 2.6F)) {
      PlaceAtWall(b, q, 2 + side, x / length);
      const float draw = r.Uniform();
      if (draw < 0.4F) {
        Door(b, m);
      } else if (draw < 0.6F) {
        WallPoster(b, m);
      } else if (draw < 0.7F) {
        b.Box(0.0F, -0.03F, 0.9F, {1.1F, 0.05F, 0.8F}, m.poster);  // notice board
        b.Box(0.0F, -0.03F, 0.88F, {1.16F, 0.04F, 0.84F}, m.dark_wood);
      } else if (draw < 0.78F) {
        b.Cylinder(0.0F, -0.1F, 0.9F, 0.08F, 0.45F, m.paint[0]);  // fire extinguisher
      } else if (draw < 0.86F && width > 2.0F) {
        Chair(b, m, m.cloth);
      } else if (draw < 0.93F) {
        WallWindow(b, m);
      } else if (width > 1.9F) {
        b.Place(b.ToWorld({0.0F, -0.25F, 0.0F}), r.Uniform(0.0F, 6.0F));
        Plant(b, m, r.Uniform(0.8F, 1.5F));
      }
    }
  }
  PlaceAtWall(b, q, 1, 0.5F);
  Door(b, m);
  PlaceAtWall(b, q, 0, 0.5F);
  WallWindow(b, m);
  if (r.Chance(0.35F)) {
    const float end = r.Chance(0.5F) ? 1.0F : -1.0F;
    const float x = end * r.Uniform(0.3F, 0.45F) * length;
    const float y = r.Uniform(-0.2F, 0.2F) * width;
    const PersonMaterials person = DrawPersonMaterials(b);
    MovingPerson(b, person, {x, y, 0.0F}, 1.57F, r.Uniform(-1.4F, 1.4F), 0.05F);
  }
}

}  // namespace calfvo::synth
