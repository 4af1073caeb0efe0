// SPDX-License-Identifier: Apache-2.0
// A fitted kitchen: units 0.6 m wide under a worktop at 0.9 m, wall cupboards from 1.45 m, tiles in between.
#pragma once

#include "synth/scene/indoor_objects.h"

namespace calfvo::synth {

// A front of the given size at the height z, with a bar to pull it by.
CALFVO_HD void CupboardFront(SceneBuilder& b, int front, int bar, Vec3 at, float width, float height,
                             bool bar_below) {
  b.Box(at.x, at.y, at.z, {width - 0.006F, 0.02F, height - 0.006F}, front);
  b.Box(at.x, at.y - 0.03F, at.z + (bar_below ? 0.04F : height - 0.06F), {0.16F, 0.014F, 0.014F}, bar);
}

// What is below the worktop of the unit at x.
CALFVO_HD_CALL void BaseUnit(SceneBuilder& b, const IndoorMaterials& m, float x, int bar, int kind) {
  const float y = -0.57F;
  if (kind == 0) {  // drawers
    for (int i = 0; i < 3; ++i) {
      CupboardFront(b, m.front, bar, {x, y, 0.12F + 0.25F * static_cast<float>(i)}, 0.6F, 0.25F, false);
    }
  } else if (kind == 1) {  // an oven, its hob above
    b.Box(x, y, 0.12F, {0.594F, 0.024F, 0.6F}, m.black);
    b.Box(x, y - 0.035F, 0.62F, {0.48F, 0.018F, 0.018F}, m.metal);
    b.Box(x, y, 0.73F, {0.594F, 0.02F, 0.13F}, m.metal);
    b.Box(x, -0.3F, 0.905F, {0.56F, 0.5F, 0.008F}, m.black);
    b.Cylinder(x - 0.13F, -0.4F, 0.913F, 0.11F, 0.12F, m.metal);  // a pot on it
  } else {
    CupboardFront(b, kind == 2 ? m.metal : m.front, bar, {x, y, 0.12F}, 0.6F, 0.75F, false);
  }
  if (kind != 3) return;
  // A sink: the rim, the dark bowl and the tap behind it.
  b.Box(x, -0.31F, 0.905F, {0.52F, 0.44F, 0.006F}, m.metal);
  b.Box(x, -0.33F, 0.908F, {0.42F, 0.33F, 0.005F}, m.black);
  b.Cylinder(x, -0.11F, 0.905F, 0.014F, 0.26F, m.metal);
  b.Box(x, -0.19F, 1.15F, {0.024F, 0.18F, 0.02F}, m.metal);
}

// `units` cupboards, and a refrigerator to their right when asked for.
CALFVO_HD_CALL void Kitchen(SceneBuilder& b, const IndoorMaterials& m, int units, bool fridge) {
  Random& r = b.random();
  const int bar = r.Chance(0.7F) ? m.metal : m.black;
  const float width = 0.6F * static_cast<float>(units);
  const int oven = r.Index(units);
  const int sink = (oven + 1 + r.Index(2)) % units;
  b.Box(0.0F, -0.28F, 0.1F, {width, 0.56F, 0.77F}, m.white);
  b.Box(0.0F, -0.26F, 0.0F, {width, 0.5F, 0.1F}, m.metal);
  b.Box(0.0F, -0.3F, 0.87F, {width, 0.62F, 0.035F}, m.worktop);
  b.Box(0.0F, -0.006F, 0.905F, {width, 0.012F, 0.54F}, m.tiles);
  const bool above = r.Chance(0.75F);
  for (int i = 0; i < units; ++i) {
    const float x = (static_cast<float>(i) + 0.5F) * 0.6F - 0.5F * width;
    BaseUnit(b, m, x, bar, i == oven ? 1 : i == sink ? 3 : r.Chance(0.4F) ? 0 : r.Chance(0.15F) ? 2 : 4);
    if (i == oven) {
      b.Box(x, -0.25F, 1.55F, {0.59F, 0.48F, 0.08F}, m.metal);  // the hood
      b.Box(x, -0.15F, 1.63F, {0.25F, 0.28F, 0.5F}, m.metal);
      continue;
    }
    if (above) {
      b.Box(x, -0.16F, 1.45F, {0.598F, 0.32F, 0.7F}, m.white);
      CupboardFront(b, m.front, bar, {x, -0.33F, 1.45F}, 0.6F, 0.7F, true);
    } else if (r.Chance(0.5F)) {
      b.Box(x, -0.12F, 1.5F, {0.6F, 0.24F, 0.025F}, m.wood);  // an open shelf
      Clutter(b, m, 0.6F, 0.2F, -0.12F, 1.525F, 3);
    }
    if (i == sink) continue;
    b.AddSight({x, -0.3F, 0.97F});
    if (r.Chance(0.4F)) b.Box(x + 0.2F, -0.018F, 1.08F, {0.15F, 0.016F, 0.085F}, m.white);  // sockets
    const float draw = r.Uniform();
    if (draw < 0.15F) Kettle(b, m, x - 0.1F, -0.2F, 0.905F);
    if (draw >= 0.15F && draw < 0.3F) Toaster(b, m, x - 0.08F, -0.2F, 0.905F);
    if (draw >= 0.3F && draw < 0.42F) Microwave(b, m, x, -0.22F, 0.905F);
    if (draw >= 0.42F && draw < 0.55F) CoffeeMachine(b, m, x - 0.1F, -0.25F, 0.905F);
    if (draw >= 0.55F && draw < 0.65F) FruitBowl(b, m, x, -0.3F, 0.905F);
    if (draw >= 0.65F) {
      for (int k = 0; k < 3; ++k) Product(b, m, x - 0.2F + 0.2F * static_cast<float>(k), -0.18F, 0.905F);
    }
    if (r.Chance(0.6F)) Mug(b, m, x + 0.2F, -0.45F, 0.905F);
    if (r.Chance(0.4F)) b.Box(x - 0.05F, -0.48F, 0.905F, {0.21F, 0.15F, 0.004F}, m.poster, 0.4F);
  }
  if (r.Chance(0.4F)) Papers(b, m, width - 0.5F, 1.08F);
  if (!fridge) return;
  const float x = 0.5F * width + 0.31F;
  const int door = r.Chance(0.5F) ? m.metal : m.white;
  const float split = r.Uniform(0.6F, 1.2F);
  b.Box(x, -0.3F, 0.0F, {0.59F, 0.6F, 1.8F}, door);
  b.Box(x, -0.61F, 0.05F, {0.585F, 0.03F, split - 0.05F}, door);
  b.Box(x, -0.61F, split + 0.01F, {0.585F, 0.03F, 1.78F - split}, door);
  b.Box(x - 0.25F, -0.645F, split - 0.35F, {0.02F, 0.04F, 0.3F}, bar);
  b.Box(x - 0.25F, -0.645F, split + 0.06F, {0.02F, 0.04F, 0.3F}, bar);
  if (r.Chance(0.4F)) b.Box(x + 0.05F, -0.628F, 1.3F, {0.148F, 0.006F, 0.21F}, m.poster);
}

}  // namespace calfvo::synth
