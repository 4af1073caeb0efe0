// SPDX-License-Identifier: Apache-2.0
// What a drone sees from 15–120 m: a city of blocks, or fields with hedges and farms.
#pragma once

#include "synth/scene/kind_terrain.h"

namespace calfvo::synth {

CALFVO_HD_CALL void SetAerialSpace(Scene& scene, float half, float ceiling) {
  for (int i = 0; i < 2; ++i) {
    scene.space_low[i] = {-half, -half, scene.terrain.low};
    scene.space_high[i] = {half, half, ceiling};
  }
}

// Parcels of crops, meadow and earth.
CALFVO_HD void BuildAerialCity(SceneBuilder& b) {
  Random& r = b.random();
  Scene& scene = b.scene();
  const OutdoorMaterials m = DrawOutdoorMaterials(b);
  Daylight(b);
  int facades[6];
  for (int i = 0; i < 6; ++i) facades[i] = Facade(b);
  const int grass = Grass(b);
  const int pavement = Concrete(b, 0.6F);
  const float block = r.Uniform(38.0F, 60.0F);
  const float road = r.Uniform(9.0F, 15.0F);
  // Streets between blocks: asphalt everywhere, blocks raised by a kerb.
  Material asphalt;
  asphalt.pattern = Pattern::kNoise;
  asphalt.a = Rgb(0.36F, 0.36F, 0.37F);
  asphalt.b = Rgb(0.29F, 0.29F, 0.3F);
  asphalt.c = Rgb(0.42F, 0.42F, 0.41F);
  asphalt.noise_amount = 0.25F;
  asphalt.noise_frequency = 0.5F;
  const int streets = b.AddMaterial(asphalt);
  scene.ground_material = Fields(b);
  SetAerialSpace(scene, 140.0F, 140.0F);
  const float pitch = block + road;
  b.Place({0.0F, 0.0F, 0.0F}, 0.0F);
  b.Box(0.0F, 0.0F, -0.3F, {5.0F * pitch, 5.0F * pitch, 0.32F}, streets);
  const bool towers = r.Chance(0.4F);
  for (int j = -2; j <= 2; ++j) {
    for (int i = -2; i <= 2; ++i) {
      const float cx = static_cast<float>(i) * pitch;
      const float cy = static_cast<float>(j) * pitch;
      b.Place({cx, cy, 0.0F}, 0.0F);
      const bool park = r.Chance(0.15F);
      b.Box(0.0F, 0.0F, -0.2F, {block, block, 0.34F}, park ? grass : pavement);
      // Road markings along two sides, 0.15 m wide as everywhere.
      b.Box(0.0F, 0.5F * pitch, 0.0F, {block, 0.15F, 0.03F}, m.white);
      b.Box(0.5F * pitch, 0.0F, 0.0F, {0.15F, block, 0.03F}, m.white);
      const int lots = park ? 0 : 4;
      for (int k = 0; k < lots; ++k) {
        const float x = cx + ((k & 1) != 0 ? 0.25F : -0.25F) * block;
        const float y = cy + ((k & 2) != 0 ? 0.25F : -0.25F) * block;
        if (r.Chance(0.1F)) continue;
        const float width = block * r.Uniform(0.3F, 0.44F);
        const float depth = block * r.Uniform(0.3F, 0.44F);
        const int storeys = towers && r.Chance(0.3F) ? 8 + r.Index(10) : 2 + r.Index(5);
        const float turn = 1.5707963F * static_cast<float>(r.Index(2));
        b.Place({x, y, 0.1F}, turn);
        b.Place(b.ToWorld({0.0F, -0.5F * depth, 0.0F}), turn);
        Building(b, m, width, depth, storeys, facades[r.Index(6)], false);
        if (r.Chance(0.4F))
          b.Box(0.2F * width, 0.4F * depth, 0.0F, {2.5F, 2.5F, 3.2F * static_cast<float>(storeys) + 1.5F},
                m.metal);
      }
      const int trees = park ? 8 : 2;
      for (int k = 0; k < trees && b.PrimitivesLeft() > 20; ++k) {
        const float x = park ? cx + block * r.Uniform(-0.45F, 0.45F) : cx + 0.47F * block;
        b.Place({x, cy + block * r.Uniform(-0.45F, 0.45F), 0.1F}, 0.0F);
        Tree(b, m, r.Uniform(5.0F, 10.0F), 1);
      }
      if (b.PrimitivesLeft() > 60 && r.Chance(0.6F)) {
        b.Place({cx + block * r.Uniform(-0.4F, 0.4F), cy + 0.5F * block + 1.3F, 0.0F}, 0.0F);
        b.Box(0.0F, 0.0F, 0.25F, {4.2F, 1.8F, 0.6F}, m.paint[r.Index(5)]);
        b.Box(-0.2F, 0.0F, 0.85F, {2.2F, 1.6F, 0.6F}, m.glass);
      }
    }
  }
  for (int i = 0; i < 7; ++i) {
    const bool along_x = r.Chance(0.5F);
    const float lane = (static_cast<float>(r.Index(4)) - 1.5F) * pitch + 2.0F;
    const float at = r.Uniform(-90.0F, 90.0F);
    const float speed = r.Uniform(4.0F, 14.0F);
    b.Place(along_x ? Vec3{at, lane, 0.0F} : Vec3{lane, at, 0.0F}, along_x ? 0.0F : 1.5707963F);
    b.BeginMover();
    b.Box(0.0F, 0.0F, 0.25F, {4.2F, 1.8F, 0.6F}, m.paint[r.Index(5)]);
    b.Box(-0.2F, 0.0F, 0.85F, {2.2F, 1.6F, 0.6F}, m.glass);
    b.EndMover(along_x ? Vec3{speed, 0.0F, 0.0F} : Vec3{0.0F, speed, 0.0F}, {}, 0.0F);
  }
}

CALFVO_HD void BuildAerialFields(SceneBuilder& b) {
  Random& r = b.random();
  Scene& scene = b.scene();
  const OutdoorMaterials m = DrawOutdoorMaterials(b);
  Daylight(b);
  scene.ground_material = Fields(b);
  const float parcel = scene.materials[scene.ground_material].scale_v;
  const int facade = Facade(b);
  const int asphalt = Plain(b, Rgb(0.42F, 0.41F, 0.4F), 0.3F, 0.8F);
  SetAerialSpace(scene, 200.0F, scene.terrain.high + 130.0F);
  const int trees = 60 + r.Index(50);
  for (int i = 0; i < trees; ++i) {
    const float x = r.Uniform(-210.0F, 210.0F);
    PlaceOnGround(b, x, r.Uniform(-210.0F, 210.0F), 0.0F);
    const float height = r.Uniform(4.0F, 14.0F);
    Tree(b, m, height, 1 + r.Index(2));
  }
  // Rows of trees along the parcels.
  for (int row = 0; row < 3; ++row) {
    const float y = parcel * static_cast<float>(r.Index(5) - 2);
    const float step = r.Uniform(5.0F, 9.0F);
    for (float x = -70.0F; x < 70.0F && b.PrimitivesLeft() > 70; x += step) {
      PlaceOnGround(b, x, y + r.Uniform(-0.5F, 0.5F), 0.0F);
      Tree(b, m, r.Uniform(5.0F, 8.0F), 1);
    }
  }
  const int farms = 2 + r.Index(3);
  for (int i = 0; i < farms; ++i) {
    const float x = r.Uniform(-90.0F, 90.0F);
    const float y = r.Uniform(-90.0F, 90.0F);
    for (int k = 0; k < 3; ++k) {
      const float bx = x + r.Uniform(-14.0F, 14.0F);
      PlaceOnGround(b, bx, y + r.Uniform(-14.0F, 14.0F), 1.5707963F * static_cast<float>(k));
      const float width = r.Uniform(9.0F, 22.0F);
      const float depth = r.Uniform(7.0F, 11.0F);
      Building(b, m, width, depth, 1 + r.Index(2), facade, false);
    }
    PlaceOnGround(b, x + 20.0F, y, 0.0F);
    b.Cylinder(0.0F, 0.0F, -0.5F, 2.5F, 9.0F, m.metal);  // silo
    b.Sphere({0.0F, 0.0F, 8.5F}, {2.5F, 2.5F, 1.5F}, m.metal);
  }
  // A road of short pieces that follows the ground.
  const float y0 = r.Uniform(-40.0F, 40.0F);
  for (int i = 0; i < 36 && b.PrimitivesLeft() > 20; ++i) {
    const float x = -180.0F + 10.0F * static_cast<float>(i);
    const float here = TerrainHeight(scene.terrain, x - 5.0F, y0);
    const float there = TerrainHeight(scene.terrain, x + 5.0F, y0);
    b.Place({x, y0, 0.5F * (here + there)}, 1.5707963F);
    b.Add(Shape::kBox, {0.0F, 0.0F, 0.0F}, {3.0F, 5.1F, 0.35F}, asphalt, 0.0F, -(there - here) * 0.1F);
  }
}

}  // namespace calfvo::synth
