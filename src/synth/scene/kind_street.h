// SPDX-License-Identifier: Apache-2.0
// A street along x, 3–15 m wide, for both directions or for one: in town between tall houses, in a suburb
// between gardens, or in the country between verges and fields. Each side is drawn on its own. Cars, trees,
// lamps, signs and people at true sizes; kerbs of 0.12 m.
#pragma once

#include "synth/scene/people.h"
#include "synth/scene/roadside.h"

namespace calfvo::synth {

inline constexpr float kStreetLength = 190.0F;

enum class Setting { kTown, kSuburb, kCountry };

struct StreetMaterials {
  OutdoorMaterials outdoor;
  int facades[5] = {0, 0, 0, 0, 0};
  int pavement = 0;
  int grass = 0;
  int field = 0;
};

// One side of a street, from the kerb outwards. Metres.
struct SidePlan {
  Setting setting = Setting::kTown;
  float side = 1.0F;   // +1 for y > 0
  float ahead = 1.0F;  // towards +x or −x: where those drive who drive beside it
  float road = 0.0F;   // from the middle to the kerb
  float verge = 0.0F;  // grass between kerb and pavement
  float walk = 0.0F;   // the pavement
  bool kerb = true;

  CALFVO_HD float Edge() const { return road + verge + walk; }
  // The height of the verge; the pavement is 0.02 m higher.
  CALFVO_HD float Top() const { return kerb ? 0.1F : 0.02F; }
};

CALFVO_HD_CALL SidePlan PlanSide(Random& r, Setting setting, float side, float road) {
  SidePlan plan;
  plan.setting = setting;
  plan.side = side;
  plan.road = road;
  const bool town = setting == Setting::kTown;
  const bool country = setting == Setting::kCountry;
  plan.kerb = town || r.Chance(country ? 0.15F : 0.8F);
  if (r.Chance(town ? 0.15F : 0.5F))
    plan.verge = r.Chance(0.3F) ? r.Uniform(4.0F, 12.0F) : r.Uniform(1.0F, 3.0F);
  if (country) plan.verge = r.Uniform(0.8F, 4.0F);
  if (town) plan.walk = r.Uniform(2.0F, 4.5F);
  if (!town && r.Chance(country ? 0.1F : 0.8F)) plan.walk = r.Uniform(1.2F, 2.5F);
  return plan;
}

// The ground beside the road from x to x + length.
CALFVO_HD_CALL void GroundBeside(SceneBuilder& b, const StreetMaterials& m, const SidePlan& s, float x,
                                 float length) {
  const float middle = x + 0.5F * length;
  const auto strip = [&](float from, float width, float height, int material) {
    b.Box(middle, s.side * (from + 0.5F * width), -0.3F, {length, width, 0.3F + height}, material);
  };
  b.Place({0.0F, 0.0F, 0.0F}, 0.0F);
  // The kerb stands out a little, as faces in one plane would fight.
  if (s.kerb) {
    b.Box(middle, s.side * (s.road + 0.065F), -0.3F, {length + 0.02F, 0.15F, 0.425F}, m.outdoor.concrete);
  }
  if (s.verge > 0.0F) strip(s.road, s.verge, s.Top(), m.grass);
  if (s.walk > 0.0F) strip(s.road + s.verge, s.walk, s.Top() + 0.02F, m.pavement);
  const float near = s.setting == Setting::kCountry ? 12.0F : 40.0F;
  strip(s.Edge(), near, 0.05F, m.grass);
  strip(s.Edge() + near, 260.0F, 0.04F, m.field);
}

// House, garden and drive on a plot of a suburb, or trees.
CALFVO_HD_CALL void Plot(SceneBuilder& b, const StreetMaterials& m, const SidePlan& s, float x, float width) {
  Random& r = b.random();
  const float facing = s.side > 0.0F ? 0.0F : 3.1415927F;
  const Vec3 front{x + 0.5F * width, s.side * (s.Edge() + 0.5F), 0.03F};
  const float back = r.Uniform(3.0F, 12.0F);
  // At the right there is room for a drive.
  b.Place(front, facing);
  b.Place(b.ToWorld({-1.8F, 0.0F, 0.0F}), facing);
  if (r.Chance(0.65F)) GardenBorder(b, m.outdoor, width - 3.8F);
  if (r.Chance(0.75F)) {
    b.Place(b.ToWorld({0.3F, back, 0.0F}), facing);
    const int facade = m.facades[r.Index(5)];
    const float wide = Min(width - 4.0F, r.Uniform(7.0F, 14.0F));
    const float deep = r.Uniform(7.0F, 11.0F);
    Building(b, m.outdoor, wide, deep, 1 + r.Index(2), facade, b.PrimitivesLeft() > 60);
    if (r.Chance(0.5F)) {
      b.Place(front, facing);
      b.Place(b.ToWorld({0.5F * width - 1.7F, back + 1.0F, 0.0F}), facing);
      Garage(b, m.outdoor, facade);
    }
    if (r.Chance(0.35F) && back > 5.5F && b.PrimitivesLeft() > 50) {
      b.Place(front, facing);
      b.Place(b.ToWorld({0.5F * width - 1.7F, 0.5F * back, 0.0F}), facing + 1.5707963F);
      Car(b, m.outdoor);
    }
  }
  const int plants = r.Index(3);
  for (int i = 0; i < plants && b.PrimitivesLeft() > 40; ++i) {
    const float across = r.Uniform(-0.45F, 0.25F) * width;
    const float deep = r.Uniform(1.2F, Max(back - 1.5F, 1.5F));
    b.Place(front, facing);
    b.Place(b.ToWorld({across, deep, 0.0F}), 0.0F);
    if (r.Chance(0.5F)) {
      Tree(b, m.outdoor, r.Uniform(4.0F, 14.0F), 3);
    } else {
      Bush(b, m.outdoor, r.Uniform(0.4F, 1.3F));
    }
  }
}

// A house of a town against its neighbour, now and then a gap with trees.
CALFVO_HD_CALL void TownHouse(SceneBuilder& b, const StreetMaterials& m, const SidePlan& s, float x,
                              float width) {
  Random& r = b.random();
  if (r.Chance(0.9F)) {
    const float set_back = r.Chance(0.2F) ? 1.5F : 0.0F;
    b.Place({x + 0.5F * width, s.side * (s.Edge() + set_back), 0.0F}, s.side > 0.0F ? 0.0F : 3.1415927F);
    const float depth = r.Uniform(8.0F, 14.0F);
    const int facade = m.facades[r.Index(5)];
    Building(b, m.outdoor, width, depth, 2 + r.Index(5), facade, b.PrimitivesLeft() > 50);
    return;
  }
  for (int i = 0; i < 2; ++i) {
    const float along = width * (0.3F + 0.4F * static_cast<float>(i));
    b.Place({x + along, s.side * (s.Edge() + r.Uniform(3.0F, 9.0F)), 0.0F}, 0.0F);
    Tree(b, m.outdoor, r.Uniform(5.0F, 11.0F), 3);
  }
}

// Fields with a hedgerow, single trees or a farm here and there, woods behind.
CALFVO_HD_CALL void OpenLand(SceneBuilder& b, const StreetMaterials& m, const SidePlan& s) {
  Random& r = b.random();
  const float half = 0.5F * kStreetLength;
  const float facing = s.side > 0.0F ? 0.0F : 3.1415927F;
  const float trees = r.Uniform(0.1F, 0.9F);
  const float hedges = r.Uniform(0.0F, 0.7F);
  for (float x = -half; x < half && b.PrimitivesLeft() > 50;) {
    const float length = r.Uniform(8.0F, 25.0F);
    b.Place({x + 0.5F * length, s.side * (s.Edge() + r.Uniform(0.6F, 2.0F)), 0.03F}, facing);
    if (r.Chance(hedges)) GardenBorder(b, m.outdoor, length);
    const int count = r.Chance(trees) ? 1 + r.Index(2) : 0;
    for (int i = 0; i < count; ++i) {
      const float along = x + r.Uniform(0.0F, length);
      const float rank = r.Uniform();
      b.Place({along, s.side * (s.Edge() + r.Uniform(2.0F, 14.0F)), 0.0F}, 6.0F * rank);
      Tree(b, m.outdoor, Mix(4.0F, r.Uniform(8.0F, 20.0F), rank), 3);
    }
    if (r.Chance(0.08F)) {
      b.Place({x + 0.5F * length, s.side * (s.Edge() + r.Uniform(16.0F, 40.0F)), 0.0F}, facing);
      const int facade = m.facades[r.Index(5)];
      Building(b, m.outdoor, length, 9.0F, 1 + r.Index(2), facade, false);
    }
    x += length + r.Uniform(0.0F, 14.0F);
  }
  if (r.Chance(0.5F)) {
    b.Place({0.0F, s.side * (s.Edge() + r.Uniform(30.0F, 80.0F)), 0.0F}, 0.0F);
    TreeLine(b, m.outdoor, 200.0F);
  }
  if (r.Chance(0.4F)) {
    for (float x = -half + r.Uniform(0.0F, 25.0F); x < half; x += 35.0F) {
      b.Place({x, s.side * (s.road + s.verge + 0.5F), 0.0F}, 0.0F);
      PowerPole(b, m.outdoor);
    }
  }
  if (r.Chance(0.2F)) {  // a guard rail, 0.75 m high
    b.Place({0.0F, s.side * (s.road + 0.6F), 0.0F}, 0.0F);
    b.Box(0.0F, 0.0F, 0.45F, {kStreetLength, 0.06F, 0.3F}, m.outdoor.metal);
    for (float x = -40.0F; x < 41.0F; x += 4.0F) b.Box(x, 0.0F, -0.1F, {0.1F, 0.1F, 0.8F}, m.outdoor.metal);
  } else if (r.Chance(0.5F)) {
    const float step = r.Chance(0.5F) ? 25.0F : 50.0F;
    for (float x = -half + 8.0F; x < half; x += step) {
      b.Place({x, s.side * (s.road + 0.5F), 0.0F}, 0.0F);
      EdgePost(b, m.outdoor);
    }
  }
}

// Trees, lamps, signs, dustbins along the kerb.
CALFVO_HD_CALL void AlongTheKerb(SceneBuilder& b, const StreetMaterials& m, const SidePlan& s) {
  Random& r = b.random();
  const float half = 0.5F * kStreetLength;
  const float facing = s.side > 0.0F ? 0.0F : 3.1415927F;
  const float green = s.verge > 0.0F ? s.road + 0.5F * s.verge : s.road + 0.9F;
  const float at = s.side * (s.verge + s.walk > 1.5F ? green : s.Edge() + 0.7F);
  const float trees = r.Chance(0.65F) ? r.Uniform(9.0F, 22.0F) : 1e6F;
  const bool young = r.Chance(0.4F);
  for (float x = -half + trees * 0.3F; x < half && b.PrimitivesLeft() > 25; x += trees) {
    b.Place({x + r.Uniform(-1.0F, 1.0F), at, 0.1F}, 0.7F * x);
    if (young) {
      YoungTree(b, m.outdoor, r.Uniform(4.0F, 7.0F));
    } else {
      Tree(b, m.outdoor, r.Uniform(4.0F, s.setting == Setting::kTown ? 8.0F : 14.0F), 3);
    }
  }
  for (float x = -half + r.Uniform(0.0F, 20.0F); x < half && b.PrimitivesLeft() > 12;
       x += r.Uniform(24.0F, 36.0F)) {
    b.Place({x, s.side * (s.road + 0.5F), 0.02F}, facing);
    LampPost(b, m.outdoor);
  }
  for (float x = -half + r.Uniform(0.0F, 40.0F); x < half && b.PrimitivesLeft() > 6;
       x += r.Uniform(25.0F, 60.0F)) {
    b.Place({x, s.side * (s.road + 0.6F), s.Top()}, s.ahead * 1.5707963F);
    RoadSign(b, m.outdoor);
  }
  if (s.walk <= 0.0F) return;
  for (float x = -50.0F + r.Uniform(0.0F, 40.0F); x < 50.0F && b.PrimitivesLeft() > 6;
       x += r.Uniform(12.0F, 60.0F)) {
    b.Place({x, s.side * (s.Edge() - 0.4F), s.Top() + 0.02F}, r.Uniform(-0.2F, 0.2F));
    Dustbin(b, m.outdoor);
  }
}

// Ground in pieces with the mouths of side streets between them, and what stands on it.
CALFVO_HD_CALL void StreetSide(SceneBuilder& b, const StreetMaterials& m, const SidePlan& s) {
  Random& r = b.random();
  const bool country = s.setting == Setting::kCountry;
  const float half = 0.5F * kStreetLength;
  const float end = half + 160.0F;
  for (float x = -end; x < end;) {
    // Beyond the street itself the ground goes on unbroken.
    const bool outside = x < -half || x >= half;
    const float piece = outside ? 160.0F : r.Uniform(45.0F, country ? 190.0F : 80.0F);
    GroundBeside(b, m, s, x, piece);
    for (float from = x + 0.5F; !outside && !country && from < x + piece - 6.0F;) {
      const bool town = s.setting == Setting::kTown;
      const float width = town ? r.Uniform(8.0F, 18.0F) : r.Uniform(13.0F, 26.0F);
      if (town) {
        TownHouse(b, m, s, from, Min(width, x + piece - from));
      } else if (from + width < x + piece && b.PrimitivesLeft() > 50) {
        Plot(b, m, s, from, width);
      }
      from += width + 0.05F;
    }
    x += piece + (outside ? 0.0F : r.Uniform(5.0F, 12.0F));
  }
  if (country) {
    OpenLand(b, m, s);
  } else {
    AlongTheKerb(b, m, s);
  }
}

// Cars along the kerb at `y`, heading along `yaw`, from the middle of the street outwards, at most `most`.
CALFVO_HD_CALL void ParkedCars(SceneBuilder& b, const OutdoorMaterials& m, float y, float yaw, float share,
                               int most) {
  Random& r = b.random();
  for (int slot = 0; slot < 26 && most > 0; ++slot) {
    const float away = (slot & 1) != 0 ? 6.2F : -6.2F;
    const int slots_away = (slot + 1) / 2;
    const float x = away * static_cast<float>(slots_away) + r.Uniform(-0.4F, 0.4F);
    if (!r.Chance(share)) continue;
    --most;
    b.Place({x, y, 0.0F}, yaw + r.Uniform(-0.04F, 0.04F));
    if (r.Chance(0.12F)) {
      Van(b, m);
    } else {
      Car(b, m, slots_away > 4);
    }
  }
}

// Houses or woods across both ends close the view.
CALFVO_HD_CALL void StreetEnds(SceneBuilder& b, const StreetMaterials& m, Setting setting) {
  Random& r = b.random();
  for (int i = 0; i < 2; ++i) {
    const float side = i == 0 ? 1.0F : -1.0F;
    const bool houses = setting == Setting::kTown || r.Chance(setting == Setting::kSuburb ? 0.4F : 0.0F);
    const float away = 0.5F * kStreetLength + (houses ? 14.0F : r.Uniform(30.0F, 140.0F));
    b.Place({side * away, 0.0F, 0.0F}, side * -1.5707963F);
    if (houses) {
      Building(b, m.outdoor, 40.0F, 12.0F, setting == Setting::kTown ? 4 : 2, m.facades[i], false);
    } else {
      TreeLine(b, m.outdoor, 90.0F);
    }
  }
}

// The road's surface; `lanes` on each side, marked or not.
CALFVO_HD_CALL int RoadSurface(SceneBuilder& b, float lane, int lanes, bool marked) {
  Random& r = b.random();
  Material road;
  road.pattern = Pattern::kRoad;
  const float tone = r.Uniform(0.28F, 0.62F);
  const float warm = r.Uniform(0.96F, 1.03F);
  road.a = Rgb(tone * warm, tone, tone * (2.0F - warm));
  road.b = road.a * r.Uniform(0.5F, 0.85F);
  road.c = Rgb(0.85F, 0.85F, 0.82F);
  road.scale_u = lane;
  road.scale_v = marked ? static_cast<float>(lanes) : 0.0F;
  road.noise_amount = r.Uniform(0.15F, 0.45F);
  road.noise_frequency = r.Uniform(0.5F, 5.0F);
  return b.AddMaterial(road);
}

CALFVO_HD void BuildStreet(SceneBuilder& b) {
  Random& r = b.random();
  Scene& scene = b.scene();
  StreetMaterials m;
  m.outdoor = DrawOutdoorMaterials(b);
  Daylight(b);
  for (int i = 0; i < 5; ++i) m.facades[i] = Facade(b);
  m.pavement = Concrete(b, 0.62F);
  m.grass = Grass(b);
  m.field = r.Chance(0.5F) ? Fields(b) : m.grass;

  const float draw = r.Uniform();
  const Setting setting = draw < 0.35F ? Setting::kTown : draw < 0.75F ? Setting::kSuburb : Setting::kCountry;
  const bool town = setting == Setting::kTown;
  const bool country = setting == Setting::kCountry;
  // One carriageway for one direction: a narrow road, or half of one with a green middle.
  const bool one_way = r.Chance(country ? 0.1F : 0.25F);
  const int lanes = !one_way && r.Chance(town ? 0.3F : 0.1F) ? 2 : 1;
  const float lane = one_way ? r.Uniform(3.2F, 5.0F) : r.Uniform(town || lanes == 2 ? 3.0F : 2.0F, 3.7F);
  const bool parking = r.Chance(town ? 0.7F : country ? 0.05F : 0.5F);
  scene.ground_material = RoadSurface(b, lane, lanes, !one_way && r.Chance(town ? 0.75F : 0.45F));
  const float driven = one_way ? 0.5F * lane : lane * static_cast<float>(lanes);
  const float half_road = driven + (parking ? 2.2F : r.Uniform(0.0F, 0.5F));
  // Where traffic keeps right, it drives towards +x at y < 0.
  const bool keeps_left = r.Chance(0.3F);
  scene.lane_y[0] = one_way ? 0.0F : (keeps_left ? 0.5F : -0.5F) * lane;
  scene.lane_y[1] = -scene.lane_y[0];
  scene.passage_half = driven;
  if (parking) {
    if (r.Chance(0.35F)) {  // paved bays
      for (int side = -1; side <= 1; side += 2) {
        const float middle = static_cast<float>(side) * (driven + 1.1F);
        b.Box(0.0F, middle, -0.1F, {kStreetLength, 2.2F, 0.11F}, m.pavement);
      }
    }
    const float share = r.Uniform(0.15F, 0.9F);
    const float kTurned = 3.1415927F;
    ParkedCars(b, m.outdoor, driven + 1.15F, keeps_left ? 0.0F : kTurned, share, town ? 8 : 5);
    ParkedCars(b, m.outdoor, -driven - 1.15F, keeps_left ? kTurned : 0.0F, share, town ? 8 : 5);
  }
  if (!town) Hills(b, m.field);
  StreetEnds(b, m, setting);
  Vec3 walk[2];  // where people go
  float edge[2];
  for (int i = 0; i < 2; ++i) {
    const Setting other = town ? Setting::kSuburb : country ? Setting::kSuburb : Setting::kCountry;
    SidePlan side = PlanSide(r, r.Chance(0.25F) ? other : setting, i == 0 ? 1.0F : -1.0F, half_road);
    side.ahead = keeps_left ? side.side : -side.side;
    b.KeepPrimitives(i == 0 ? b.PrimitivesLeft() / 2 : 0);
    StreetSide(b, m, side);
    const bool paved = side.walk > 0.0F;
    walk[i].y = side.side * (half_road + (paved ? side.verge + 0.7F * side.walk : 0.3F));
    walk[i].z = paved ? side.Top() + 0.02F : side.verge > 0.0F ? side.Top() : 0.05F;
    edge[i] = side.side * (side.Edge() + 0.6F);
  }
  const float half = 0.5F * kStreetLength;
  for (int i = 0; i < 2; ++i) {
    scene.space_low[i] = {-half, edge[1], 0.0F};
    scene.space_high[i] = {half, edge[0], 60.0F};
  }
  const PersonMaterials people = DrawPersonMaterials(b);
  const int standing = country ? r.Index(2) : 3;
  for (int i = 0; i < standing; ++i) {
    const float turn = r.Uniform(0.0F, 6.28F);
    const Vec3 way = walk[r.Index(2)];
    b.Place({r.Uniform(-60.0F, 60.0F), way.y, way.z}, turn);
    Person(b, people, r.Uniform(1.5F, 1.9F));
  }
  // Oncoming and leading cars keep to the lanes; the own lane near the start stays free.
  const int cars = r.Index(6);
  for (int i = 0; i < cars; ++i) {
    const bool ahead = one_way || r.Chance(0.4F);
    const float x = r.Uniform(-90.0F, 90.0F);
    const float speed = r.Uniform(3.0F, 15.0F);
    b.Place({x, ahead ? scene.lane_y[0] : scene.lane_y[1], 0.0F}, ahead ? 0.0F : 3.1415927F);
    b.BeginMover();
    if (r.Chance(0.15F)) {
      Van(b, m.outdoor);
    } else {
      Car(b, m.outdoor);
    }
    const float swing = r.Uniform(0.0F, 2.0F);
    b.EndMover({ahead ? speed : -speed, 0.0F, 0.0F}, {swing, 0.0F, 0.0F}, r.Uniform(0.2F, 0.8F));
  }
  const int walkers = r.Index(country ? 3 : 7);
  for (int i = 0; i < walkers; ++i) {
    const float x = r.Uniform(-70.0F, 70.0F);
    const Vec3 way = walk[r.Index(2)];
    const float y = way.y + r.Uniform(-0.3F, 0.3F);
    const float speed = r.Uniform(0.8F, 1.7F);
    MovingPerson(b, people, {x, y, way.z}, r.Chance(0.5F) ? 1.5707963F : -1.5707963F, speed, 0.03F);
  }
}

}  // namespace calfvo::synth
