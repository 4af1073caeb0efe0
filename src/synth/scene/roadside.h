// SPDX-License-Identifier: Apache-2.0
// What stands beside roads outside of towns: young trees, hedges, fences, posts, poles, tree lines and hills.
// Things run along the builder's local x axis and face −y, where the road is.
#pragma once

#include "synth/scene/outdoor_objects.h"

namespace calfvo::synth {

// A street tree of 4–7 m, thin, tied to three stakes of 2 m.
CALFVO_HD_CALL void YoungTree(SceneBuilder& b, const OutdoorMaterials& m, float height) {
  Random& r = b.random();
  const int leaves = m.leaves[r.Index(3)];
  b.Cylinder(0.0F, 0.0F, -0.1F, 0.05F, 0.8F * height, m.bark);
  b.Crown({0.0F, 0.0F, 0.62F * height}, {0.2F * height, 0.19F * height, 0.26F * height}, leaves);
  const float lean = r.Uniform(-0.1F, 0.1F);
  b.Crown({lean * height, 0.0F, 0.82F * height}, {0.13F * height, 0.14F * height, 0.2F * height}, leaves);
  if (!r.Chance(0.5F)) return;
  for (int i = 0; i < 3; ++i) {
    const float turn = 2.1F * static_cast<float>(i);
    float sine = 0.0F;
    float cosine = 0.0F;
    SinCos(turn, sine, cosine);
    b.Add(Shape::kCylinder, {-0.35F * sine, 0.35F * cosine, 1.0F}, {0.035F, 0.035F, 1.02F}, m.wood, turn,
          0.15F);
  }
}

// The border of a garden, 0.7–2 m high: a clipped hedge, boards, a low wall, or bushes.
CALFVO_HD_CALL void GardenBorder(SceneBuilder& b, const OutdoorMaterials& m, float width) {
  Random& r = b.random();
  const float kind = r.Uniform();
  const float height = r.Uniform(0.7F, 2.0F);
  if (kind < 0.4F) {
    const int leaves = m.leaves[r.Index(3)];
    b.Box(0.0F, 0.0F, 0.0F, {width, r.Uniform(0.5F, 1.0F), height}, leaves);
  } else if (kind < 0.6F) {
    b.Box(0.0F, 0.0F, 0.1F, {width, 0.04F, 0.75F * height}, r.Chance(0.5F) ? m.wood : m.white);
  } else if (kind < 0.75F) {
    b.Box(0.0F, 0.0F, 0.0F, {width, 0.25F, 0.5F * height}, m.concrete);
  } else {
    for (float x = -0.4F * width; x < 0.45F * width; x += r.Uniform(1.6F, 3.0F)) {
      const float size = r.Uniform(0.5F, 1.1F);
      b.Crown({x, 0.0F, 0.5F * size}, {size, 0.8F * size, 0.8F * size}, m.leaves[r.Index(3)]);
    }
  }
}

// A garage of 3 × 6 × 2.5 m.
CALFVO_HD_CALL void Garage(SceneBuilder& b, const OutdoorMaterials& m, int wall) {
  b.Box(0.0F, 3.0F, 0.0F, {3.1F, 6.0F, 2.5F}, wall);
  b.Box(0.0F, -0.01F, 0.05F, {2.4F, 0.06F, 2.1F}, m.white);
  b.Box(0.0F, 3.0F, 2.5F, {3.3F, 6.2F, 0.12F}, m.concrete);
}

// A dustbin of 1.07 m.
CALFVO_HD_CALL void Dustbin(SceneBuilder& b, const OutdoorMaterials& m) {
  b.Add(Shape::kTapered, {0.0F, 0.0F, 0.5F}, {0.3F, 0.28F, 0.5F}, m.rubber, 0.0F, 3.1415927F);
  b.Box(0.0F, 0.0F, 1.0F, {0.58F, 0.6F, 0.07F}, m.paint[b.random().Index(5)]);
}

// A post that shows the edge of the road: 1 m high, 0.12 m wide, white with a dark band.
CALFVO_HD_CALL void EdgePost(SceneBuilder& b, const OutdoorMaterials& m) {
  b.Box(0.0F, 0.0F, -0.1F, {0.12F, 0.1F, 1.1F}, m.white);
  b.Box(0.0F, 0.0F, 0.72F, {0.125F, 0.105F, 0.2F}, m.rubber);
}

// A wooden pole of 8 m with a crossbar.
CALFVO_HD_CALL void PowerPole(SceneBuilder& b, const OutdoorMaterials& m) {
  b.Cylinder(0.0F, 0.0F, -0.2F, 0.12F, 8.2F, m.bark);
  b.Box(0.0F, 0.0F, 7.4F, {0.1F, 1.8F, 0.12F}, m.bark);
}

// Woodland seen from afar: crowns 7–15 m high side by side over `length` metres.
CALFVO_HD_CALL void TreeLine(SceneBuilder& b, const OutdoorMaterials& m, float length) {
  Random& r = b.random();
  const float conifers = r.Uniform();
  for (float x = -0.5F * length; x < 0.5F * length && b.PrimitivesLeft() > 30;) {
    const float wide = r.Uniform(2.5F, 6.0F);
    const float high = r.Uniform(4.0F, 8.0F);
    const int leaves = m.leaves[r.Index(3)];
    const Shape shape = r.Chance(conifers) ? Shape::kCone : Shape::kCrown;
    b.Add(shape, {x + wide, r.Uniform(-4.0F, 4.0F), 0.85F * high}, {wide, wide, high}, leaves);
    x += 1.3F * wide;
  }
}

// Hills on the horizon, 200–450 m away.
CALFVO_HD_CALL void Hills(SceneBuilder& b, int material) {
  Random& r = b.random();
  const int count = r.Index(5);
  for (int i = 0; i < count; ++i) {
    float sine = 0.0F;
    float cosine = 0.0F;
    SinCos(r.Uniform(0.0F, 6.28F), sine, cosine);
    const float away = r.Uniform(260.0F, 450.0F);
    const float wide = r.Uniform(80.0F, 140.0F);
    b.Sphere({away * cosine, away * sine, 0.0F}, {wide, wide, r.Uniform(10.0F, 40.0F)}, material);
  }
}

}  // namespace calfvo::synth
