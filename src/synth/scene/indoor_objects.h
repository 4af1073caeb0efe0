// SPDX-License-Identifier: Apache-2.0
// Furniture at the sizes people buy it. Every function builds around the builder's local frame: the back of
// wall furniture is at y = 0 and it faces −y.
#pragma once

#include "synth/scene/tabletop_objects.h"

namespace calfvo::synth {

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
  const float back = 0.5F * width - 0.01F;
  if (b.random().Chance(0.5F)) {
    b.Add(Shape::kBox, {0.0F, back, 0.68F}, {0.5F * width, 0.014F, 0.18F}, seat, 0.0F, -0.12F);
  } else {  // two posts and slats
    b.Box(-back, back, 0.41F, {0.035F, 0.03F, 0.46F}, seat);
    b.Box(back, back, 0.41F, {0.035F, 0.03F, 0.46F}, seat);
    for (int i = 0; i < 3; ++i) {
      b.Box(0.0F, back, 0.55F + 0.12F * static_cast<float>(i), {width - 0.04F, 0.018F, 0.06F}, seat);
    }
  }
  for (int i = 0; i < 4; ++i) {
    const float x = ((i & 1) != 0 ? 0.5F : -0.5F) * (width - 0.05F);
    const float y = ((i & 2) != 0 ? 0.5F : -0.5F) * (width - 0.05F);
    b.Box(x, y, 0.0F, {0.032F, 0.032F, 0.41F}, m.dark_wood);
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
    b.Crown(at, {size, size, size * 0.8F}, m.leaves);
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
  if (r.Chance(0.75F)) {
    Monitor(b, m, -0.1F, -0.25F, height);
    Keyboard(b, m, -0.1F, -0.5F, height);
  } else {
    Laptop(b, m, -0.1F, -0.4F, height);
  }
  Mug(b, m, 0.27F, -0.55F, height);
  b.Box(-0.5F * width + 0.15F, -0.25F, 0.0F, {0.19F, 0.43F, 0.42F}, m.black);  // the computer
  for (int i = 0; i < 4; ++i) {
    const float side = (i & 1) != 0 ? 0.5F * width - 0.18F : -0.5F * width + 0.15F;
    const float deep = (i & 2) != 0 ? -0.2F : -0.48F;
    Product(b, m, side, deep, height);
  }
  b.AddSight({-0.1F, -0.4F, height + 0.08F});
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
  b.AddSight({0.0F, -0.2F, pitch * static_cast<float>(boards - 2) + 0.1F});
}

// A cupboard or a rack without doors, boards every 0.28–0.42 m, full of products.
CALFVO_HD_CALL void ProductShelf(SceneBuilder& b, const IndoorMaterials& m, int frame) {
  Random& r = b.random();
  const float width = r.Uniform(0.8F, 1.2F);
  const float depth = r.Uniform(0.3F, 0.45F);
  const float pitch = r.Uniform(0.3F, 0.42F);
  const int boards = 4 + r.Index(3);
  const float height = pitch * static_cast<float>(boards) + 0.1F;
  b.Box(-0.5F * width, -0.5F * depth, 0.0F, {0.02F, depth, height}, frame);
  b.Box(0.5F * width, -0.5F * depth, 0.0F, {0.02F, depth, height}, frame);
  if (r.Chance(0.7F)) b.Box(0.0F, -0.01F, 0.05F, {width, 0.012F, height - 0.05F}, m.cardboard);
  for (int i = 0; i <= boards; ++i) {
    const float z = 0.05F + pitch * static_cast<float>(i);
    b.Box(0.0F, -0.5F * depth, z, {width, depth, 0.02F}, frame);
    if (i == boards) break;
    const int count = static_cast<int>(width / r.Uniform(0.14F, 0.24F));
    const float step = (width - 0.04F) / static_cast<float>(count);
    for (int k = 0; k < count && b.PrimitivesLeft() > 20; ++k) {
      if (r.Chance(0.12F)) continue;
      const float x = (static_cast<float>(k) + 0.5F) * step - 0.5F * (width - 0.04F);
      Product(b, m, x, -depth + r.Uniform(0.1F, 0.17F), z + 0.02F);
    }
  }
  for (int i = 1; i < boards; i += 2) b.AddSight({0.0F, -0.6F * depth, 0.2F + pitch * static_cast<float>(i)});
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
  b.Box(0.5F * width + 0.2F, -0.008F, 1.05F, {0.085F, 0.016F, 0.085F}, m.white);  // a switch
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

CALFVO_HD_CALL void WallPoster(SceneBuilder& b, const IndoorMaterials& m) {
  Random& r = b.random();
  const float width = r.Uniform(0.3F, 0.9F);
  const float height = width * r.Uniform(0.7F, 1.4F);
  b.Box(0.0F, -0.01F, 1.55F - 0.5F * height, {width, 0.025F, height}, m.poster);
}

// Sheets pinned to a wall or board around the height `z`.
CALFVO_HD_CALL void Papers(SceneBuilder& b, const IndoorMaterials& m, float width, float z) {
  Random& r = b.random();
  for (float x = -0.5F * width; x < 0.5F * width; x += r.Uniform(0.24F, 0.5F)) {
    const float drop = r.Uniform(-0.15F, 0.15F);
    const bool small = r.Chance(0.4F);
    b.Box(x, -0.014F, z + drop, {small ? 0.148F : 0.21F, 0.006F, small ? 0.21F : 0.297F}, m.poster);
  }
}

}  // namespace calfvo::synth
