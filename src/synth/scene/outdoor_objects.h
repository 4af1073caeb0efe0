// SPDX-License-Identifier: Apache-2.0
// Cars, trees, poles, signs, buildings and daylight, at true sizes.
#pragma once

#include "synth/scene/palette.h"

namespace calfvo::synth {

struct OutdoorMaterials {
  int paint[5] = {0, 0, 0, 0, 0};
  int glass = 0;
  int rubber = 0;
  int metal = 0;
  int light_red = 0;
  int white = 0;
  int leaves[3] = {0, 0, 0};
  int bark = 0;
  int sign = 0;
  int wood = 0;
  int roof[2] = {0, 0};
  int concrete = 0;
};

CALFVO_HD_CALL OutdoorMaterials DrawOutdoorMaterials(SceneBuilder& b) {
  Random& r = b.random();
  OutdoorMaterials m;
  for (int i = 0; i < 5; ++i) {
    const Vec3 color = i < 2 ? AnyColor(r, 0.08F, 0.1F, 0.95F) : AnyColor(r, 0.95F, 0.2F, 0.85F);
    m.paint[i] = Plain(b, color, 0.05F, 2.0F, 0.7F);
  }
  m.glass = Plain(b, Rgb(0.16F, 0.19F, 0.22F), 0.15F, 1.5F, 1.0F);
  m.rubber = Plain(b, Rgb(0.13F, 0.13F, 0.13F), 0.2F, 8.0F);
  m.metal = Plain(b, Rgb(0.5F, 0.51F, 0.52F), 0.15F, 4.0F, 0.4F);
  m.light_red = Plain(b, Rgb(0.75F, 0.1F, 0.08F), 0.1F, 20.0F, 0.6F);
  m.white = Plain(b, Rgb(0.9F, 0.9F, 0.88F), 0.06F, 5.0F, 0.3F);
  for (int i = 0; i < 3; ++i) m.leaves[i] = Leaves(b);
  m.bark = Bark(b);
  m.sign = Poster(b);
  m.wood = Wood(b, true);
  for (int i = 0; i < 2; ++i) {
    Material roof;
    roof.pattern = Pattern::kBrick;
    const float tone = r.Uniform(0.3F, 0.65F);
    roof.a = i == 0 ? Rgb(tone, tone * 0.6F, tone * 0.48F) : Rgb(tone * 0.8F, tone * 0.8F, tone * 0.82F);
    roof.b = roof.a * 0.7F;
    roof.c = roof.a * 0.4F;
    roof.scale_u = 0.25F;
    roof.scale_v = 0.3F;
    roof.noise_amount = 0.3F;
    roof.noise_frequency = 0.8F;
    m.roof[i] = b.AddMaterial(roof);
  }
  m.concrete = Concrete(b, 0.6F);
  return m;
}

// Sun and sky: clear, cloudy or overcast.
CALFVO_HD_CALL void Daylight(SceneBuilder& b) {
  Random& r = b.random();
  Light& light = b.scene().light;
  const float height = r.Uniform(0.25F, 1.6F);
  float sine = 0.0F;
  float cosine = 0.0F;
  SinCos(r.Uniform(0.0F, 6.28F), sine, cosine);
  light.direction = Normalized(Vec3{cosine, sine, height});
  const float overcast = r.Chance(0.3F) ? r.Uniform(0.5F, 1.0F) : 0.0F;
  const float low = Saturate(1.0F - height);
  light.color = Mix(Vec3{1.0F, 0.95F, 0.86F}, Vec3{1.0F, 0.74F, 0.5F}, low * 0.7F) *
                (r.Uniform(0.85F, 1.25F) * (1.0F - 0.9F * overcast));
  const float fill = r.Uniform(0.45F, 1.0F);  // the less, the deeper the shadows
  light.from_above = Mix(Vec3{0.42F, 0.5F, 0.64F} * fill, Vec3{0.75F, 0.77F, 0.8F}, overcast);
  light.from_below = Mix(Vec3{0.2F, 0.2F, 0.19F} * fill, Vec3{0.34F, 0.34F, 0.34F}, overcast);
  const float depth = r.Uniform(0.5F, 1.0F);
  light.zenith = Mix(Vec3{0.14F, 0.29F, 0.62F} * depth, Vec3{0.62F, 0.65F, 0.69F}, overcast);
  light.horizon = Mix(Vec3{0.62F, 0.72F, 0.82F}, Vec3{0.74F, 0.76F, 0.78F}, overcast);
  light.clouds = r.Chance(0.75F) ? r.Uniform(0.2F, 0.9F) : 0.0F;
  light.haze = r.Chance(0.12F) ? r.Uniform(0.002F, 0.006F) : r.Uniform(0.0003F, 0.0012F);
  light.occlusion = 0.8F;
}

// 4.2 × 1.8 × 1.5 m on average, nose towards +x; far ones do without hubs, lights and plate.
CALFVO_HD_CALL void Car(SceneBuilder& b, const OutdoorMaterials& m, bool far = false) {
  Random& r = b.random();
  const float length = r.Uniform(3.8F, 4.6F);
  const float width = r.Uniform(1.7F, 1.88F);
  const float height = r.Uniform(1.42F, 1.65F);
  const int paint = m.paint[r.Index(5)];
  const float wheel = 0.31F;
  b.Box(0.0F, 0.0F, 0.24F, {length, width, 0.52F}, paint);
  b.Add(Shape::kTapered, {-0.06F * length, 0.0F, 0.5F * (0.76F + height)},
        {0.33F * length, 0.5F * width - 0.03F, 0.5F * (height - 0.76F)}, m.glass);
  b.Add(Shape::kTapered, {-0.065F * length, 0.0F, height - 0.05F}, {0.2F * length, 0.43F * width, 0.06F},
        paint);
  for (int i = 0; i < 2; ++i) {  // both wheels of an axle are one cylinder through the body
    const float x = (i != 0 ? 0.31F : -0.31F) * length;
    b.Add(Shape::kCylinder, {x, 0.0F, wheel}, {wheel, wheel, 0.5F * width + 0.01F}, m.rubber, 0.0F,
          1.5707963F);
    if (far) continue;
    b.Add(Shape::kCylinder, {x, 0.0F, wheel}, {0.6F * wheel, 0.6F * wheel, 0.5F * width + 0.02F}, m.metal,
          0.0F, 1.5707963F);
  }
  if (far) return;
  b.Box(0.5F * length, 0.0F, 0.52F, {0.04F, width * 0.92F, 0.14F}, m.white);
  b.Box(-0.5F * length, 0.0F, 0.56F, {0.04F, width * 0.92F, 0.13F}, m.light_red);
  b.Box(-0.5F * length - 0.02F, 0.0F, 0.4F, {0.02F, 0.52F, 0.11F}, m.sign);  // number plate
}

CALFVO_HD_CALL void Van(SceneBuilder& b, const OutdoorMaterials& m) {
  Random& r = b.random();
  const int paint = m.paint[r.Index(5)];
  const float length = r.Uniform(5.0F, 6.5F);
  b.Box(-0.1F * length, 0.0F, 0.35F, {0.8F * length, 2.0F, 2.0F}, paint);
  b.Box(0.4F * length, 0.0F, 0.35F, {0.2F * length, 1.95F, 0.85F}, paint);
  b.Add(Shape::kTapered, {0.33F * length, 0.0F, 1.65F}, {0.16F * length, 0.95F, 0.5F}, m.glass);
  for (int i = 0; i < 2; ++i) {
    const float x = (i != 0 ? 0.33F : -0.33F) * length;
    b.Add(Shape::kCylinder, {x, 0.0F, 0.35F}, {0.35F, 0.35F, 1.01F}, m.rubber, 0.0F, 1.5707963F);
  }
  b.Box(-0.5F * length, 0.0F, 0.7F, {0.04F, 1.9F, 0.3F}, m.light_red);
  b.Box(-0.1F * length, 0.0F, 1.0F, {0.5F * length, 2.02F, 0.7F}, m.sign);
}

// A conifer, a slender or a broad tree. Of three blobs and more the crown has gaps between the leaves; seen
// from the air it does without.
CALFVO_HD_CALL void Tree(SceneBuilder& b, const OutdoorMaterials& m, float height, int blobs) {
  Random& r = b.random();
  const int leaves = m.leaves[r.Index(3)];
  const float kind = r.Uniform();
  const float trunk = r.Uniform(0.014F, 0.024F) * height + 0.03F;
  b.Cylinder(0.0F, 0.0F, -0.2F, trunk, 0.6F * height, r.Chance(0.8F) ? m.bark : m.wood);
  const Shape crown = blobs > 2 ? Shape::kCrown : Shape::kSphere;
  for (int i = 0; i < blobs; ++i) {
    const float share = static_cast<float>(i) / static_cast<float>(blobs);
    if (kind < 0.25F) {
      const float radius = height * 0.2F * (1.0F - 0.65F * share);
      b.Add(Shape::kCone, {0.0F, 0.0F, height * (0.38F + 0.45F * share)}, {radius, radius, height * 0.22F},
            leaves);
    } else if (kind < 0.45F) {
      const float radius = height * (0.14F - 0.06F * share);
      b.Add(crown, {0.0F, 0.0F, height * (0.45F + 0.45F * share)}, {radius, radius, height * 0.22F}, leaves);
    } else {
      float sine = 0.0F;
      float cosine = 0.0F;
      SinCos(r.Uniform(0.0F, 6.28F), sine, cosine);
      const float out = i == 0 ? 0.0F : 0.16F * height;
      const float size = height * r.Uniform(0.15F, 0.27F);
      const float up = height * (i == 0 ? 0.74F : r.Uniform(0.5F, 0.82F));
      b.Add(crown, {out * cosine, out * sine, up}, {size, size * 1.05F, size * 0.85F}, leaves);
    }
  }
}

CALFVO_HD_CALL void Bush(SceneBuilder& b, const OutdoorMaterials& m, float size) {
  const float lean = b.random().Uniform(-0.3F, 0.3F);
  const int leaves = m.leaves[b.random().Index(3)];
  b.Crown({0.0F, 0.0F, size * 0.4F}, {size, size * 0.9F, size * 0.7F}, leaves);
  b.Sphere({size * 0.6F, size * lean, size * 0.25F}, {size * 0.6F, size * 0.6F, size * 0.5F}, leaves);
}

// A street lamp 5–8 m high whose arm reaches towards −y.
CALFVO_HD_CALL void LampPost(SceneBuilder& b, const OutdoorMaterials& m) {
  const float height = b.random().Uniform(5.0F, 8.0F);
  b.Cylinder(0.0F, 0.0F, 0.0F, 0.07F, height, m.metal);
  b.Box(0.0F, -0.6F, height - 0.05F, {0.07F, 1.2F, 0.07F}, m.metal);
  b.Box(0.0F, -1.2F, height - 0.12F, {0.2F, 0.5F, 0.1F}, m.white);
}

// A sign on a pole: 0.6–0.75 m across, its lower edge at 2.1 m.
CALFVO_HD_CALL void RoadSign(SceneBuilder& b, const OutdoorMaterials& m) {
  Random& r = b.random();
  const float size = r.Uniform(0.6F, 0.75F);
  b.Cylinder(0.0F, 0.0F, 0.0F, 0.038F, 2.1F + size, m.metal);
  if (r.Chance(0.5F)) {
    b.Add(Shape::kCylinder, {0.0F, 0.05F, 2.1F + 0.5F * size}, {0.5F * size, 0.5F * size, 0.01F}, m.light_red,
          0.0F, 1.5707963F);
    b.Add(Shape::kCylinder, {0.0F, 0.054F, 2.1F + 0.5F * size}, {0.4F * size, 0.4F * size, 0.013F}, m.white,
          0.0F, 1.5707963F);
  } else {
    b.Box(0.0F, 0.05F, 2.1F, {size, 0.02F, size}, m.sign);
  }
}

// A building whose front lies on the local x axis and that extends to +y.
CALFVO_HD_CALL void Building(SceneBuilder& b, const OutdoorMaterials& m, float width, float depth,
                             int storeys, int facade, bool detailed) {
  Random& r = b.random();
  const float storey = b.scene().materials[facade].scale_v;
  const float height = storey * static_cast<float>(storeys) + 0.4F;
  b.Box(0.0F, 0.5F * depth, 0.0F, {width, depth, height}, facade);
  if (r.Chance(storeys < 3 ? 0.85F : 0.45F) && storeys <= 5) {
    const float rise = r.Uniform(1.5F, 4.0F);
    // The ridge runs along local y of the prism, turned to lie along the street; some gables face it.
    const bool gable = storeys < 3 && r.Chance(0.4F);
    const float across = 0.5F * (gable ? width : depth) + 0.4F;
    const float along = 0.5F * (gable ? depth : width) + 0.2F;
    b.Add(Shape::kPrism, {0.0F, 0.5F * depth, height + 0.5F * rise}, {across, along, 0.5F * rise},
          m.roof[r.Index(2)], gable ? 0.0F : 1.5707963F);
  } else {
    b.Box(0.0F, 0.5F * depth, height, {width + 0.3F, depth + 0.3F, 0.35F}, m.concrete);
    if (detailed)
      b.Box(r.Uniform(-0.2F, 0.2F) * width, 0.5F * depth, height + 0.3F, {2.5F, 2.5F, 1.8F}, m.metal);
  }
  if (!detailed) return;
  const float door = r.Uniform(-0.35F, 0.35F) * width;
  b.Box(door, -0.04F, 0.0F, {1.1F, 0.12F, 2.2F}, m.wood);
  b.Box(door, -0.1F, 2.2F, {1.5F, 0.4F, 0.12F}, m.concrete);
  if (r.Chance(storeys < 3 ? 0.1F : 0.5F)) {
    const float shop = door > 0.0F ? -0.22F * width : 0.22F * width;
    b.Box(shop, -0.02F, 0.5F, {0.4F * width, 0.08F, 2.0F}, m.glass);
    b.Box(shop, -0.1F, 2.55F, {0.42F * width, 0.14F, 0.6F}, m.sign);
    if (r.Chance(0.5F))
      b.Add(Shape::kBox, {shop, -0.6F, 2.45F}, {0.21F * width, 0.6F, 0.03F}, m.light_red, 0.0F, 0.35F);
  }
  if (r.Chance(0.5F)) {
    for (int i = 1; i < storeys && i < 4; ++i) {
      b.Box(-0.1F * width, -0.5F, storey * static_cast<float>(i) + 0.1F, {2.6F, 1.0F, 1.0F}, m.white);
    }
  }
}

}  // namespace calfvo::synth
