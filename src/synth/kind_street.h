// SPDX-License-Identifier: Apache-2.0
// A street along x: lanes of 3–3.7 m, kerbs of 0.12 m, pavements, houses, parked and moving cars, trees,
// lamps, signs and people.
#pragma once

#include "synth/outdoor_objects.h"
#include "synth/people.h"

namespace calfvo::synth {

inline constexpr float kStreetLength = 190.0F;

// One side of the street; `side` is +1 for y > 0.
CALFVO_HD_CALL void StreetSide(SceneBuilder& b, const OutdoorMaterials& m, const int* facades, int pavement,
                               int grass, float side, float road, float walk, bool country) {
  Random& r = b.random();
  const float facing = side > 0.0F ? 0.0F : 3.1415927F;
  const float half = 0.5F * kStreetLength;
  // Pavement in pieces, with the mouths of side streets between them.
  float x = -half;
  while (x < half) {
    const float piece = r.Uniform(45.0F, 80.0F);
    b.Place({0.0F, 0.0F, 0.0F}, 0.0F);
    b.Box(x + 0.5F * piece, side * (road + 0.5F * walk), -0.2F, {piece, walk, 0.32F}, pavement);
    b.Box(x + 0.5F * piece, side * (road + 0.06F), -0.2F, {piece + 0.1F, 0.14F, 0.325F}, m.concrete);
    b.Box(x + 0.5F * piece, side * (road + walk + 35.0F), -0.3F, {piece, 70.0F, 0.35F}, grass);
    float houses_from = x + 0.5F;
    while (houses_from < x + piece - 6.0F) {
      const float width = r.Uniform(8.0F, 18.0F);
      const float set_back = country ? r.Uniform(3.0F, 9.0F) : r.Chance(0.2F) ? 1.5F : 0.0F;
      const bool gap = r.Chance(country ? 0.45F : 0.1F);
      if (!gap) {
        const int storeys = country ? 1 + r.Index(2) : 2 + r.Index(5);
        b.Place({houses_from + 0.5F * width, side * (road + walk + set_back), 0.0F}, facing);
        const int facade = facades[r.Index(5)];
        Building(b, m, Min(width, x + piece - houses_from), r.Uniform(8.0F, 14.0F), storeys, facade,
                 b.PrimitivesLeft() > 90);
        if (set_back > 2.5F && r.Chance(0.6F)) {
          b.Place({houses_from + 0.5F * width, side * (road + walk + 0.4F), 0.0F}, facing);
          const int fence = r.Chance(0.5F) ? m.wood : m.leaves[0];
          b.Box(0.0F, 0.0F, 0.0F, {width, 0.25F, r.Uniform(0.8F, 1.4F)}, fence);
        }
      } else {
        for (int i = 0; i < 2; ++i) {
          b.Place({houses_from + width * (0.3F + 0.4F * static_cast<float>(i)),
                   side * (road + walk + r.Uniform(3.0F, 9.0F)), 0.0F},
                  0.0F);
          Tree(b, m, r.Uniform(5.0F, 11.0F), 3);
        }
      }
      houses_from += width + (country ? r.Uniform(2.0F, 8.0F) : 0.05F);
    }
    x += piece + r.Uniform(5.0F, 9.0F);
  }
  // Along the kerb.
  const float trees = r.Chance(0.6F) ? r.Uniform(9.0F, 20.0F) : 1e6F;
  for (x = -half + trees * 0.3F; x < half && b.PrimitivesLeft() > 55; x += trees) {
    const float at = x + r.Uniform(-1.0F, 1.0F);
    b.Place({at, side * (road + 0.9F), 0.1F}, r.Uniform(0.0F, 6.0F));
    Tree(b, m, r.Uniform(4.0F, 8.0F), 3);
  }
  for (x = -half + r.Uniform(0.0F, 20.0F); x < half && b.PrimitivesLeft() > 45;
       x += r.Uniform(24.0F, 36.0F)) {
    b.Place({x, side * (road + 0.5F), 0.1F}, facing);
    LampPost(b, m);
  }
  for (x = -half + r.Uniform(0.0F, 40.0F); x < half && b.PrimitivesLeft() > 30;
       x += r.Uniform(25.0F, 60.0F)) {
    b.Place({x, side * (road + 0.6F), 0.1F}, side > 0.0F ? -1.5707963F : 1.5707963F);
    RoadSign(b, m);
  }
}

// Cars along the kerb, from the middle of the street outwards.
CALFVO_HD_CALL void ParkedCars(SceneBuilder& b, const OutdoorMaterials& m, float side, float y, float share) {
  Random& r = b.random();
  int left = 11;
  for (int slot = 0; slot < 26 && left > 0; ++slot) {
    const float away = (slot & 1) != 0 ? 6.2F : -6.2F;
    const int slots_away = (slot + 1) / 2;
    const float x = away * static_cast<float>(slots_away) + r.Uniform(-0.4F, 0.4F);
    if (!r.Chance(share)) continue;
    --left;
    b.Place({x, side * y, 0.0F}, (side > 0.0F ? 3.1415927F : 0.0F) + r.Uniform(-0.04F, 0.04F));
    if (r.Chance(0.12F)) {
      Van(b, m);
    } else {
      Car(b, m);
    }
  }
}

CALFVO_HD void BuildStreet(SceneBuilder& b) {
  Random& r = b.random();
  Scene& scene = b.scene();
  const OutdoorMaterials m = DrawOutdoorMaterials(b);
  Daylight(b);
  int facades[5];
  for (int i = 0; i < 5; ++i) facades[i] = r.Chance(0.2F) ? Brick(b) : Facade(b);
  for (int i = 0; i < 5; ++i) {
    if (scene.materials[facades[i]].pattern == Pattern::kBrick) facades[i] = facades[(i + 1) % 5];
  }
  const int pavement = Concrete(b, 0.62F);
  const int grass = Grass(b);
  const int lanes = r.Chance(0.7F) ? 1 : 2;
  const float lane = r.Uniform(3.0F, 3.7F);
  const bool parking = r.Chance(0.7F);
  const bool country = r.Chance(0.3F);
  Material road;
  road.pattern = Pattern::kRoad;
  const float tone = r.Uniform(0.28F, 0.5F);
  road.a = Rgb(tone, tone, tone * 1.02F);
  road.b = road.a * r.Uniform(0.6F, 0.8F);
  road.c = Rgb(0.85F, 0.85F, 0.82F);
  road.scale_u = lane;
  road.scale_v = static_cast<float>(lanes);
  road.noise_amount = r.Uniform(0.15F, 0.4F);
  road.noise_frequency = r.Uniform(0.5F, 3.0F);
  scene.ground_material = b.AddMaterial(road);
  const float driven = lane * static_cast<float>(lanes);
  const float half_road = driven + (parking ? 2.2F : 0.4F);
  const float walk = r.Uniform(2.0F, 4.5F);
  // Traffic keeps right: towards +x it drives at y < 0.
  scene.lane_y[0] = -0.5F * lane;
  scene.lane_y[1] = 0.5F * lane;
  scene.passage_half = driven;
  const float half = 0.5F * kStreetLength;
  for (int i = 0; i < 2; ++i) {
    scene.space_low[i] = {-half, -half_road - walk, 0.0F};
    scene.space_high[i] = {half, half_road + walk, 60.0F};
  }
  if (parking) {
    const float share = r.Uniform(0.3F, 0.9F);
    ParkedCars(b, m, 1.0F, driven + 1.15F, share);
    ParkedCars(b, m, -1.0F, driven + 1.15F, share);
  }
  for (int i = 0; i < 2; ++i)
    StreetSide(b, m, facades, pavement, grass, i == 0 ? 1.0F : -1.0F, half_road, walk, country);
  // Houses across both ends close the view.
  b.Place({half + 14.0F, 0.0F, 0.0F}, -1.5707963F);
  Building(b, m, 40.0F, 12.0F, 4, facades[0], false);
  b.Place({-half - 14.0F, 0.0F, 0.0F}, 1.5707963F);
  Building(b, m, 40.0F, 12.0F, 3, facades[1], false);
  const PersonMaterials people = DrawPersonMaterials(b);
  for (int i = 0; i < 3; ++i) {
    const float x = r.Uniform(-60.0F, 60.0F);
    const float side = r.Chance(0.5F) ? 1.0F : -1.0F;
    b.Place({x, side * (half_road + 0.6F * walk), 0.12F}, r.Uniform(0.0F, 6.28F));
    Person(b, people, r.Uniform(1.5F, 1.9F));
  }
  // Oncoming and leading cars keep to the lanes; the own lane near the start stays free.
  const int cars = r.Index(6);
  for (int i = 0; i < cars; ++i) {
    const bool ahead = r.Chance(0.4F);
    const float x = r.Uniform(-90.0F, 90.0F);
    const float speed = r.Uniform(3.0F, 15.0F);
    b.Place({x, ahead ? scene.lane_y[0] : scene.lane_y[1], 0.0F}, ahead ? 0.0F : 3.1415927F);
    b.BeginMover();
    if (r.Chance(0.15F)) {
      Van(b, m);
    } else {
      Car(b, m);
    }
    const float swing = r.Uniform(0.0F, 2.0F);
    b.EndMover({ahead ? speed : -speed, 0.0F, 0.0F}, {swing, 0.0F, 0.0F}, r.Uniform(0.2F, 0.8F));
  }
  const int walkers = r.Index(7);
  for (int i = 0; i < walkers; ++i) {
    const float side = r.Chance(0.5F) ? 1.0F : -1.0F;
    const float x = r.Uniform(-70.0F, 70.0F);
    const float y = side * (half_road + r.Uniform(0.5F, 0.85F) * walk);
    const float speed = r.Uniform(0.8F, 1.7F);
    MovingPerson(b, people, {x, y, 0.12F}, r.Chance(0.5F) ? 1.5707963F : -1.5707963F, speed, 0.03F);
  }
}

}  // namespace calfvo::synth
