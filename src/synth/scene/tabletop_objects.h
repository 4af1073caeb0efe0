// SPDX-License-Identifier: Apache-2.0
// Materials of indoor things, and what stands on tables, counters and shelves: 5–50 cm, at true sizes. Each
// function takes the middle of the thing's footprint and the height of the surface, in the local frame.
#pragma once

#include "synth/scene/palette.h"

namespace calfvo::synth {

struct IndoorMaterials {
  int wood = 0;
  int dark_wood = 0;
  int white = 0;
  int metal = 0;
  int black = 0;
  int cloth = 0;
  int cushion = 0;
  int books = 0;
  int poster = 0;
  int window = 0;
  int lamp = 0;
  int leaves = 0;
  int cardboard = 0;
  int paint[4] = {0, 0, 0, 0};  // small things of any colour
  int screen = 0;
  int front = 0;  // of kitchen cupboards
  int worktop = 0;
  int tiles = 0;
};

CALFVO_HD_CALL IndoorMaterials DrawIndoorMaterials(SceneBuilder& b) {
  Random& r = b.random();
  IndoorMaterials m;
  m.wood = Wood(b, false);
  m.dark_wood = Wood(b, false);
  m.white = Plain(b, Rgb(0.87F, 0.86F, 0.83F), 0.06F, 3.0F, 0.2F);
  m.metal = Plain(b, Rgb(0.55F, 0.56F, 0.58F), 0.1F, 5.0F, 0.8F);
  m.black = Plain(b, Rgb(0.12F, 0.12F, 0.13F), 0.1F, 8.0F, 0.4F);
  m.cloth = Cloth(b);
  m.cushion = Cloth(b);
  m.books = Books(b);
  m.poster = Poster(b);
  m.window = Window(b, 0.9F);
  m.lamp = Emitting(b, Rgb(1.0F, 0.93F, 0.8F), 1.6F);
  m.leaves = Leaves(b);
  m.cardboard = Plain(b, Rgb(0.68F, 0.53F, 0.37F), 0.18F, 5.0F);
  for (int i = 0; i < 4; ++i) m.paint[i] = Plain(b, AnyColor(r, 0.8F, 0.25F, 0.95F), 0.12F, 10.0F, 0.3F);
  Material screen;
  screen.pattern = Pattern::kPoster;
  screen.a = Rgb(0.05F, 0.05F, 0.06F);
  screen.b = AnyColor(r, 0.6F, 0.3F, 0.9F);
  screen.noise_frequency = 6.0F;
  screen.emission = 100;
  m.screen = b.AddMaterial(screen);
  const Vec3 front = r.Chance(0.4F) ? Rgb(0.88F, 0.87F, 0.84F) : AnyColor(r, 1.0F, 0.2F, 0.85F);
  m.front = r.Chance(0.3F) ? m.wood : Plain(b, front, 0.04F, 3.0F, r.Uniform(0.1F, 0.7F));
  const float tone = r.Chance(0.5F) ? r.Uniform(0.1F, 0.3F) : r.Uniform(0.5F, 0.85F);
  m.worktop = r.Chance(0.35F) ? m.wood : Plain(b, Rgb(tone, tone, tone * 0.96F), 0.25F, 14.0F, 0.5F);
  m.tiles = Tile(b, r.Uniform(0.05F, 0.2F), 0.4F);
  return m;
}

CALFVO_HD_CALL void Mug(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  const int glaze = b.random().Chance(0.4F) ? m.white : m.paint[b.random().Index(4)];
  b.Cylinder(x, y, z, 0.041F, 0.095F, glaze);
  b.Box(x + 0.052F, y, z + 0.02F, {0.03F, 0.012F, 0.055F}, glaze);
}
CALFVO_HD_CALL void Bottle(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  const int material = m.paint[b.random().Index(4)];
  b.Cylinder(x, y, z, 0.036F, 0.21F, material);
  b.Add(Shape::kCone, {x, y, z + 0.26F}, {0.036F, 0.036F, 0.05F}, material);
}
CALFVO_HD_CALL void Monitor(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  b.Box(x, y, z, {0.2F, 0.16F, 0.012F}, m.black);
  b.Box(x, y + 0.03F, z, {0.05F, 0.02F, 0.15F}, m.black);
  b.Box(x, y, z + 0.1F, {0.56F, 0.03F, 0.345F}, m.black);
  b.Box(x, y - 0.016F, z + 0.115F, {0.53F, 0.006F, 0.315F}, m.screen);
}
CALFVO_HD_CALL void Keyboard(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  b.Box(x, y, z, {0.43F, 0.13F, 0.018F}, m.black);
  b.Box(x + 0.3F, y, z, {0.062F, 0.11F, 0.03F}, m.black);
}
CALFVO_HD_CALL void BookPile(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z,
                             int count) {
  Random& r = b.random();
  for (int i = 0; i < count; ++i) {
    const float thick = r.Uniform(0.015F, 0.045F);
    const float width = r.Uniform(0.13F, 0.21F);
    const float turn = r.Uniform(-0.5F, 0.5F);
    b.Box(x, y, z, {width, width * 1.38F, thick}, r.Chance(0.35F) ? m.poster : m.paint[r.Index(4)], turn);
    z += thick;
  }
}
CALFVO_HD_CALL void Kettle(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  const int body = b.random().Chance(0.5F) ? m.metal : m.paint[b.random().Index(4)];
  b.Cylinder(x, y, z, 0.075F, 0.2F, body);
  b.Box(x + 0.105F, y, z + 0.03F, {0.025F, 0.03F, 0.17F}, m.black);
  b.Box(x + 0.05F, y, z + 0.2F, {0.12F, 0.03F, 0.025F}, m.black);
}
CALFVO_HD_CALL void Toaster(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  b.Box(x, y, z, {0.28F, 0.17F, 0.19F}, b.random().Chance(0.5F) ? m.metal : m.paint[0]);
  b.Box(x, y, z + 0.188F, {0.2F, 0.05F, 0.006F}, m.black);
}
CALFVO_HD_CALL void Microwave(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  b.Box(x, y, z, {0.48F, 0.34F, 0.28F}, b.random().Chance(0.5F) ? m.white : m.metal);
  b.Box(x - 0.05F, y - 0.172F, z + 0.03F, {0.34F, 0.01F, 0.22F}, m.black);
  b.Box(x + 0.19F, y - 0.172F, z + 0.17F, {0.07F, 0.01F, 0.03F}, m.screen);
}
CALFVO_HD_CALL void CoffeeMachine(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  const int body = b.random().Chance(0.6F) ? m.black : m.metal;
  b.Box(x, y + 0.1F, z, {0.26F, 0.18F, 0.36F}, body);
  b.Box(x, y - 0.03F, z + 0.24F, {0.26F, 0.3F, 0.13F}, body);
  b.Box(x, y - 0.06F, z, {0.24F, 0.24F, 0.03F}, m.metal);
  Mug(b, m, x, y - 0.06F, z + 0.03F);
}
CALFVO_HD_CALL void Laptop(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  b.Box(x, y, z, {0.33F, 0.23F, 0.018F}, m.metal);
  b.Box(x, y + 0.02F, z + 0.017F, {0.28F, 0.11F, 0.003F}, m.black);
  b.Add(Shape::kBox, {x, y + 0.15F, z + 0.12F}, {0.165F, 0.005F, 0.115F}, m.black, 0.0F, -0.25F);
  b.Add(Shape::kBox, {x, y + 0.144F, z + 0.122F}, {0.155F, 0.003F, 0.1F}, m.screen, 0.0F, -0.25F);
}
CALFVO_HD_CALL void FruitBowl(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  b.Cylinder(x, y, z, 0.14F, 0.06F, m.wood);
  for (int i = 0; i < 4; ++i) {
    const float dx = (i & 1) != 0 ? 0.05F : -0.05F;
    const float dy = (i & 2) != 0 ? 0.05F : -0.05F;
    b.Sphere({x + dx, y + dy, z + 0.08F}, {0.04F, 0.04F, 0.038F}, m.paint[i]);
  }
}

// Something as shops sell it, upright: a box, carton, tin, bottle, jar or book of 6–28 cm.
CALFVO_HD_CALL void Product(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  Random& r = b.random();
  const float size = r.Uniform(0.8F, 1.2F);
  const float turn = r.Uniform(-0.25F, 0.25F);
  const int print = r.Chance(0.7F) ? m.poster : m.paint[r.Index(4)];
  switch (r.Index(7)) {
    case 0:  // cereals
      b.Box(x, y, z, {0.19F * size, 0.065F, 0.27F * size}, print, turn);
      break;
    case 1:  // tea, biscuits
      b.Box(x, y, z, {0.15F * size, 0.08F, 0.09F * size}, print, turn);
      break;
    case 2:  // milk, juice
      b.Box(x, y, z, {0.07F, 0.07F, 0.2F}, print, turn);
      b.Cylinder(x, y, z + 0.2F, 0.015F, 0.02F, m.white);
      break;
    case 3:
      b.Cylinder(x, y, z, 0.037F, 0.11F, print);  // a tin
      break;
    case 4:
      Bottle(b, m, x, y, z);
      break;
    case 5:  // a jar
      b.Cylinder(x, y, z, 0.04F * size, 0.11F * size, print);
      b.Cylinder(x, y, z + 0.11F * size, 0.038F * size, 0.02F, m.metal);
      break;
    default:
      b.Box(x, y, z, {0.03F * size, 0.17F, 0.24F * size}, print, turn);  // a book
  }
}

// A carton of 0.4 × 0.3 × 0.28 m that lies on its side, open to the front, with products in it.
CALFVO_HD_CALL void OpenCarton(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  b.Box(x, y, z, {0.4F, 0.3F, 0.008F}, m.cardboard);
  b.Box(x, y, z + 0.29F, {0.4F, 0.3F, 0.008F}, m.cardboard);
  b.Box(x, y + 0.147F, z, {0.4F, 0.006F, 0.29F}, m.cardboard);
  b.Box(x - 0.196F, y, z, {0.008F, 0.3F, 0.29F}, m.cardboard);
  b.Box(x + 0.196F, y, z, {0.008F, 0.3F, 0.29F}, m.cardboard);
  b.Box(x, y - 0.147F, z, {0.4F, 0.006F, 0.04F}, m.metal);
  for (int i = 0; i < 3; ++i) Product(b, m, x + 0.13F * static_cast<float>(i - 1), y - 0.04F, z + 0.008F);
}

// Things that lie on a desk, table, counter or shelf of the given size, centred at (0, y).
CALFVO_HD_CALL void Clutter(SceneBuilder& b, const IndoorMaterials& m, float width, float depth, float y,
                            float z, int count) {
  Random& r = b.random();
  for (int i = 0; i < count; ++i) {
    const float px = (static_cast<float>(i) + 0.5F) / static_cast<float>(count) - 0.5F;
    const float x = (px + 0.2F * r.Uniform(-1.0F, 1.0F) / static_cast<float>(count)) * (width - 0.25F);
    const float dy = y + r.Uniform(-0.3F, 0.3F) * depth;
    const float size = r.Uniform(0.05F, 0.14F);
    switch (r.Index(9)) {
      case 0:
        Mug(b, m, x, dy, z);
        break;
      case 1:
        BookPile(b, m, x, dy, z, 1 + r.Index(4));
        break;
      case 2:
        b.Box(x, dy, z, {size * 1.6F, size, size * 1.2F}, r.Chance(0.5F) ? m.cardboard : m.poster,
              size * 9.0F);
        break;
      case 3:
      case 4:
        b.Box(x, dy, z, {0.21F, 0.297F, 0.004F}, m.poster, size * 5.0F);  // a sheet of A4
        break;
      case 5:
        b.Sphere({x, dy, z + 0.037F}, {0.037F, 0.037F, 0.037F}, m.paint[r.Index(4)]);  // fruit, ball
        break;
      case 6:
        b.Cylinder(x, dy, z, size * 0.6F, size * 1.4F, m.paint[r.Index(4)]);  // pot
        break;
      default:
        Product(b, m, x, dy, z);
    }
  }
}

}  // namespace calfvo::synth
