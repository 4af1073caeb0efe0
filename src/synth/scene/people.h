// SPDX-License-Identifier: Apache-2.0
// People: 1.5–1.9 m tall, standing or walking.
#pragma once

#include "synth/scene/palette.h"

namespace calfvo::synth {

struct PersonMaterials {
  int skin = 0;
  int top[2] = {0, 0};
  int trousers = 0;
  int hair = 0;
};

CALFVO_HD_CALL PersonMaterials DrawPersonMaterials(SceneBuilder& b) {
  Random& r = b.random();
  PersonMaterials m;
  const float tone = r.Uniform(0.35F, 0.85F);
  m.skin = Plain(b, Rgb(tone, tone * 0.78F, tone * 0.65F), 0.08F, 8.0F);
  m.top[0] = Cloth(b);
  m.top[1] = Cloth(b);
  m.trousers = Plain(b, AnyColor(r, 0.5F, 0.1F, 0.5F), 0.25F, 12.0F);
  m.hair = Plain(b, AnyColor(r, 0.4F, 0.08F, 0.5F), 0.4F, 30.0F);
  return m;
}

// Stands at the builder's local origin. Proportions follow the height: legs 0.47, torso 0.35, head 0.13.
CALFVO_HD_CALL void Person(SceneBuilder& b, const PersonMaterials& m, float height) {
  Random& r = b.random();
  const int top = m.top[r.Index(2)];
  const float stride = r.Uniform(0.0F, 0.3F);
  const float leg = 0.47F * height;
  const float width = 0.12F * height;
  b.Add(Shape::kCylinder, {-0.09F, 0.0F, 0.5F * leg}, {0.075F, 0.085F, 0.5F * leg}, m.trousers, 0.0F, stride);
  b.Add(Shape::kCylinder, {0.09F, 0.0F, 0.5F * leg}, {0.075F, 0.085F, 0.5F * leg}, m.trousers, 0.0F, -stride);
  b.Add(Shape::kSphere, {0.0F, 0.0F, leg + 0.16F * height}, {width, 0.075F * height, 0.2F * height}, top);
  b.Add(Shape::kCylinder, {-width, 0.0F, leg + 0.14F * height}, {0.05F, 0.05F, 0.17F * height}, top, 0.0F,
        -stride);
  b.Add(Shape::kCylinder, {width, 0.0F, leg + 0.14F * height}, {0.05F, 0.05F, 0.17F * height}, top, 0.0F,
        stride);
  b.Add(Shape::kSphere, {0.0F, 0.0F, 0.93F * height}, {0.08F, 0.1F, 0.07F * height}, m.skin);
  b.Add(Shape::kSphere, {0.0F, 0.015F, 0.95F * height}, {0.085F, 0.1F, 0.05F * height}, m.hair);
}

// Walks towards local −y at `speed` m/s, with a sway of `swing` metres to and fro.
CALFVO_HD_CALL void MovingPerson(SceneBuilder& b, const PersonMaterials& m, Vec3 at, float yaw, float speed,
                                 float swing) {
  const float height = b.random().Uniform(1.5F, 1.9F);
  b.Place(at, yaw);
  b.BeginMover();
  Person(b, m, height);
  const Vec3 ahead = b.ToWorld({0.0F, -1.0F, 0.0F}) - at;
  const float rate = b.random().Uniform(0.8F, 2.0F);
  b.EndMover(ahead * speed, ahead * swing, rate);
}

}  // namespace calfvo::synth
