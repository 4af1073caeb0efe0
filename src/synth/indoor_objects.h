// SPDX-License-Identifier: Apache-2.0
// Furniture and clutter at the sizes people buy them. Every function builds around the builder's local frame:
// the back of wall furniture is at y = 0 and it faces −y.
#pragma once

#include "synth/palette.h"

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
  return m;
}

// A board on four legs.
CALFVO_HD_CALL void Table(SceneBuilder& b, const IndoorMaterials& m, float width, float depth, float height,
                          int top) {
  const float leg = 0.05F;
  b.Box(0.0F, 0.0F, height - 0.035F, {width, depth, 0.035F}, top);
  for (int i = 0; i < 4; ++i) {
    const float x = (i & 1) != 0 ? 0.5F * width - leg : leg - 0.5F * width;
    const float y = (i & 2) != 0 ? 0.5F * depth - leg : leg - 0.5F * depth;
    b.Box(x, y, 0.0F, {leg, leg, height - 0.035F}, top == m.wood ? m.wood : m.metal);
  }
}

// Seat at 0.45 m, back to 0.85 m.
CALFVO_HD_CALL void Chair(SceneBuilder& b, const IndoorMaterials& m, int seat) {
  const float width = 0.42F;
  b.Box(0.0F, 0.0F, 0.41F, {width, width, 0.04F}, seat);
  b.Add(Shape::kBox, {0.0F, 0.5F * width - 0.01F, 0.68F}, {0.5F * width, 0.014F, 0.18F}, seat, 0.0F, -0.12F);
  for (int i = 0; i < 4; ++i) {
    const float x = ((i & 1) != 0 ? 0.5F : -0.5F) * (width - 0.05F);
    const float y = ((i & 2) != 0 ? 0.5F : -0.5F) * (width - 0.05F);
    b.Box(x, y, 0.0F, {0.032F, 0.032F, 0.41F}, m.dark_wood);
  }
}

CALFVO_HD_CALL void Mug(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z) {
  b.Cylinder(x, y, z, 0.041F, 0.095F, m.paint[b.random().Index(4)]);
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
CALFVO_HD_CALL void Lamp(SceneBuilder& b, const IndoorMaterials& m, float x, float y, float z, float height) {
  b.Cylinder(x, y, z, 0.1F, 0.02F, m.metal);
  b.Cylinder(x, y, z, 0.012F, height - 0.2F, m.metal);
  b.Add(Shape::kTapered, {x, y, z + height - 0.12F}, {0.15F, 0.15F, 0.12F}, m.lamp);
}
CALFVO_HD_CALL void Plant(SceneBuilder& b, const IndoorMaterials& m, float height) {
  Random& r = b.random();
  b.Cylinder(0.0F, 0.0F, 0.0F, 0.16F, 0.3F, m.paint[0]);
  b.Cylinder(0.0F, 0.0F, 0.3F, 0.02F, height - 0.6F, m.dark_wood);
  for (int i = 0; i < 4; ++i) {
    const Vec3 at{r.Uniform(-0.15F, 0.15F), r.Uniform(-0.15F, 0.15F),
                  height - 0.35F + r.Uniform(-0.25F, 0.15F)};
    const float size = r.Uniform(0.12F, 0.26F);
    b.Sphere(at, {size, size, size * 0.8F}, m.leaves);
  }
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
    switch (r.Index(7)) {
      case 0:
        Mug(b, m, x, dy, z);
        break;
      case 1:
        Bottle(b, m, x, dy, z);
        break;
      case 2:
        BookPile(b, m, x, dy, z, 1 + r.Index(4));
        break;
      case 3:
        b.Box(x, dy, z, {size * 1.6F, size, size * 1.2F}, r.Chance(0.5F) ? m.cardboard : m.poster,
              size * 9.0F);
        break;
      case 4:
        b.Box(x, dy, z, {0.21F, 0.297F, 0.004F}, m.poster, size * 5.0F);  // a sheet of A4
        break;
      case 5:
        b.Sphere({x, dy, z + 0.037F}, {0.037F, 0.037F, 0.037F}, m.paint[r.Index(4)]);  // fruit, ball
        break;
      default:
        b.Cylinder(x, dy, z, size * 0.6F, size * 1.4F, m.paint[r.Index(4)]);  // tin, pot
    }
  }
}

CALFVO_HD_CALL void Desk(SceneBuilder& b, const IndoorMaterials& m) {
  Random& r = b.random();
  const float width = r.Uniform(1.2F, 1.7F);
  const float depth = r.Uniform(0.65F, 0.8F);
  const float height = r.Uniform(0.72F, 0.76F);
  // Table builds around its middle; the desk's back is at y = 0.
  b.Box(0.0F, -0.5F * depth, height - 0.03F, {width, depth, 0.03F}, r.Chance(0.5F) ? m.wood : m.white);
  b.Box(-0.5F * width + 0.02F, -0.5F * depth, 0.0F, {0.03F, depth * 0.9F, height - 0.03F}, m.metal);
  b.Box(0.5F * width - 0.2F, -0.5F * depth, 0.05F, {0.38F, depth * 0.85F, height - 0.1F}, m.white);
  for (int i = 0; i < 3; ++i) {
    b.Box(0.5F * width - 0.2F, -depth * 0.925F - 0.004F, 0.09F + 0.2F * static_cast<float>(i),
          {0.35F, 0.01F, 0.18F}, m.wood);
  }
  Monitor(b, m, -0.1F, -0.25F, height);
  Keyboard(b, m, -0.1F, -0.5F, height);
  Clutter(b, m, width, 0.3F, -0.3F, height, 3);
}

// Boards every 0.3–0.38 m, with books, boxes and ornaments.
CALFVO_HD_CALL void Bookcase(SceneBuilder& b, const IndoorMaterials& m) {
  Random& r = b.random();
  const float width = r.Uniform(0.7F, 1.0F);
  const float depth = 0.3F;
  const float pitch = r.Uniform(0.3F, 0.38F);
  const int boards = 5 + r.Index(2);
  const float height = pitch * static_cast<float>(boards) + 0.03F;
  const int wood = r.Chance(0.5F) ? m.wood : m.white;
  b.Box(-0.5F * width, -0.5F * depth, 0.0F, {0.022F, depth, height}, wood);
  b.Box(0.5F * width, -0.5F * depth, 0.0F, {0.022F, depth, height}, wood);
  b.Box(0.0F, -0.01F, 0.0F, {width, 0.012F, height}, m.dark_wood);
  for (int i = 0; i <= boards; ++i) {
    const float z = pitch * static_cast<float>(i);
    b.Box(0.0F, -0.5F * depth, z, {width, depth, 0.022F}, wood);
    if (i == boards) break;
    const float draw = r.Uniform();
    if (draw < 0.6F) {
      const float share = r.Uniform(0.5F, 0.95F);
      b.Box(0.5F * (share - 0.96F) * width, -0.13F, z + 0.022F, {share * width, 0.2F, pitch * 0.78F},
            m.books);
      if (share < 0.75F) Clutter(b, m, width * (1.0F - share), 0.2F, -0.15F, z + 0.022F, 1);
    } else {
      Clutter(b, m, width, depth * 0.6F, -0.15F, z + 0.022F, 3);
    }
  }
}

CALFVO_HD_CALL void Sofa(SceneBuilder& b, const IndoorMaterials& m) {
  Random& r = b.random();
  const float width = r.Uniform(1.6F, 2.2F);
  b.Box(0.0F, -0.45F, 0.1F, {width, 0.88F, 0.32F}, m.cloth);
  b.Box(0.0F, -0.12F, 0.3F, {width, 0.22F, 0.52F}, m.cloth);
  b.Box(-0.5F * width + 0.09F, -0.45F, 0.1F, {0.18F, 0.88F, 0.52F}, m.cloth);
  b.Box(0.5F * width - 0.09F, -0.45F, 0.1F, {0.18F, 0.88F, 0.52F}, m.cloth);
  for (int i = 0; i < 3; ++i) {
    const float x = (static_cast<float>(i) - 1.0F) * 0.3F * width;
    b.Add(Shape::kBox, {x, -0.3F, 0.6F}, {0.21F, 0.06F, 0.18F}, m.cushion, 0.0F, -0.3F);
  }
}

CALFVO_HD_CALL void Bed(SceneBuilder& b, const IndoorMaterials& m) {
  const float width = b.random().Uniform(0.95F, 1.8F);
  b.Box(0.0F, -1.02F, 0.08F, {width, 2.04F, 0.22F}, m.dark_wood);
  b.Box(0.0F, -1.0F, 0.3F, {width - 0.04F, 1.98F, 0.2F}, m.white);
  b.Box(0.0F, -1.25F, 0.32F, {width + 0.04F, 1.5F, 0.22F}, m.cloth);
  b.Box(0.0F, -0.02F, 0.0F, {width, 0.05F, 1.0F}, m.dark_wood);
  b.Sphere({0.0F, -0.3F, 0.56F}, {0.36F, 0.24F, 0.11F}, m.white);
}

CALFVO_HD_CALL void Wardrobe(SceneBuilder& b, const IndoorMaterials& m) {
  Random& r = b.random();
  const float width = r.Uniform(1.0F, 1.8F);
  const float height = r.Uniform(1.9F, 2.2F);
  const int wood = r.Chance(0.5F) ? m.wood : m.white;
  b.Box(0.0F, -0.29F, 0.0F, {width, 0.58F, height}, m.dark_wood);
  const int doors = 2 + r.Index(2);
  const float step = width / static_cast<float>(doors);
  for (int i = 0; i < doors; ++i) {
    const float x = (static_cast<float>(i) + 0.5F) * step - 0.5F * width;
    b.Box(x, -0.59F, 0.05F, {step - 0.012F, 0.02F, height - 0.08F}, wood);
    b.Box(x + 0.4F * step, -0.615F, 0.5F * height, {0.02F, 0.03F, 0.16F}, m.metal);
  }
}

// Cupboards 0.9 m high with a worktop, others above, a refrigerator beside them.
CALFVO_HD_CALL void Kitchen(SceneBuilder& b, const IndoorMaterials& m) {
  Random& r = b.random();
  const int units = 3 + r.Index(2);
  const float width = 0.6F * static_cast<float>(units);
  b.Box(0.0F, -0.28F, 0.1F, {width, 0.56F, 0.77F}, m.dark_wood);
  b.Box(0.0F, -0.3F, 0.87F, {width, 0.62F, 0.035F}, m.wood);
  for (int i = 0; i < units; ++i) {
    const float x = (static_cast<float>(i) + 0.5F) * 0.6F - 0.5F * width;
    b.Box(x, -0.57F, 0.12F, {0.585F, 0.02F, 0.73F}, m.white);
    b.Box(x, -0.59F, 0.78F, {0.2F, 0.025F, 0.015F}, m.metal);
    b.Box(x, -0.17F, 1.42F, {0.59F, 0.34F, 0.7F}, m.white);
  }
  b.Box(0.5F * width + 0.31F, -0.31F, 0.0F, {0.6F, 0.62F, 1.78F}, m.metal);
  b.Box(-0.3F, -0.3F, 0.9F, {0.5F, 0.4F, 0.012F}, m.black);  // hob
  Clutter(b, m, width, 0.4F, -0.3F, 0.905F, 5);
}

// A door leaf of 2.0–2.1 m in its frame, flat against the wall at y = 0.
CALFVO_HD_CALL void Door(SceneBuilder& b, const IndoorMaterials& m) {
  Random& r = b.random();
  const float width = r.Uniform(0.78F, 0.92F);
  const float height = r.Uniform(2.0F, 2.1F);
  b.Box(0.0F, -0.01F, 0.0F, {width, 0.03F, height}, r.Chance(0.5F) ? m.white : m.wood);
  b.Box(-0.5F * width - 0.04F, -0.015F, 0.0F, {0.08F, 0.05F, height + 0.08F}, m.dark_wood);
  b.Box(0.5F * width + 0.04F, -0.015F, 0.0F, {0.08F, 0.05F, height + 0.08F}, m.dark_wood);
  b.Box(0.0F, -0.015F, height, {width, 0.05F, 0.08F}, m.dark_wood);
  b.Box(0.4F * width, -0.05F, 1.03F, {0.12F, 0.05F, 0.02F}, m.metal);
}

// A window, its sill at 0.85–1 m, and a radiator under it.
CALFVO_HD_CALL void WallWindow(SceneBuilder& b, const IndoorMaterials& m) {
  Random& r = b.random();
  const float width = r.Uniform(0.9F, 1.8F);
  const float height = r.Uniform(1.1F, 1.4F);
  const float sill = r.Uniform(0.85F, 1.0F);
  b.Box(0.0F, -0.005F, sill, {width, 0.02F, height}, m.window);
  b.Box(0.0F, -0.07F, sill - 0.03F, {width + 0.16F, 0.16F, 0.03F}, m.white);
  b.Box(0.0F, -0.06F, 0.12F, {width * 0.8F, 0.08F, 0.6F}, m.white);
  if (r.Chance(0.5F)) {
    b.Box(-0.5F * width - 0.12F, -0.06F, 0.15F, {0.24F, 0.06F, sill + height + 0.1F}, m.cloth);
    b.Box(0.5F * width + 0.12F, -0.06F, 0.15F, {0.24F, 0.06F, sill + height + 0.1F}, m.cloth);
  }
}

CALFVO_HD_CALL void Picture(SceneBuilder& b, const IndoorMaterials& m) {
  Random& r = b.random();
  const float width = r.Uniform(0.3F, 0.9F);
  const float height = width * r.Uniform(0.7F, 1.4F);
  b.Box(0.0F, -0.01F, 1.55F - 0.5F * height, {width, 0.025F, height}, m.poster);
}

}  // namespace calfvo::synth
