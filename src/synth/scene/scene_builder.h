// SPDX-License-Identifier: Apache-2.0
// Puts primitives, materials and movers into a scene.
#pragma once

#include "core/portable/noise.h"
#include "core/portable/random.h"
#include "synth/scene/bvh.h"
#include "synth/scene/scene.h"

namespace calfvo::synth {

using portable::Random;

// Objects are built in a local frame set by Place: x to the right, y to the back, z up, origin on the floor
// under the object. The terrain is made before. When an array is full, what does not fit is left out; static
// things leave room for movers.
class SceneBuilder {
 public:
  CALFVO_HD SceneBuilder(Scene& scene, uint64_t seed) : scene_(scene), random_(seed) {
    scene.primitive_count = scene.static_count = scene.material_count = 0;
    scene.node_count = scene.mover_count = scene.ground_material = scene.sight_count = 0;
    scene.lane_y[0] = scene.lane_y[1] = scene.passage_half = 0.0F;
    scene.light = Light{};
    scene.light.seed = static_cast<uint32_t>(seed);
  }

  CALFVO_HD Random& random() { return random_; }
  CALFVO_HD Scene& scene() { return scene_; }

  CALFVO_HD void Place(Vec3 origin, float yaw) {
    origin_ = origin;
    yaw_ = yaw;
    SinCos(yaw, sine_, cosine_);
  }
  CALFVO_HD Vec3 ToWorld(Vec3 local) const { return origin_ + Turn(local); }

  // Boxes and the rest are given by their middle and half-sizes; `pitch` tilts about the local x axis, `turn`
  // about the vertical through the middle.
  CALFVO_HD_CALL void Add(Shape shape, Vec3 center, Vec3 half, int material, float turn = 0.0F,
                          float pitch = 0.0F) {
    if (scene_.primitive_count >= limit_) {
      overflow_ = true;
      return;
    }
    float st = 0.0F, ct = 1.0F, sp = 0.0F, cp = 1.0F;
    if (turn != 0.0F) SinCos(turn, st, ct);
    if (pitch != 0.0F) SinCos(pitch, sp, cp);
    const Vec3 axes[3] = {Turn({ct, st, 0.0F}), Turn({-st * cp, ct * cp, sp}), Turn({st * sp, -ct * sp, cp})};
    half = Max(half, {1e-3F, 1e-3F, 1e-3F});
    const Vec3 middle = ToWorld(center);
    Primitive& p = scene_.primitives[scene_.primitive_count++];
    const float inverse[3] = {1.0F / half.x, 1.0F / half.y, 1.0F / half.z};
    for (int i = 0; i < 3; ++i) {
      const Vec3 row = axes[i] * inverse[i];
      p.rows[i] = {row.x, row.y, row.z, -Dot(row, middle)};
    }
    p.half_size = half;
    p.info = PackInfo(shape, material, -1, random_.Bits() >> 16);
  }

  // A box by its middle on the plane, the height of its underside, and its full size.
  CALFVO_HD void Box(float x, float y, float bottom, Vec3 size, int material, float turn = 0.0F) {
    Add(Shape::kBox, {x, y, bottom + 0.5F * size.z}, size * 0.5F, material, turn);
  }
  CALFVO_HD void Cylinder(float x, float y, float bottom, float radius, float height, int material) {
    Add(Shape::kCylinder, {x, y, bottom + 0.5F * height}, {radius, radius, 0.5F * height}, material);
  }
  CALFVO_HD void Sphere(Vec3 center, Vec3 radii, int material) {
    Add(Shape::kSphere, center, radii, material);
  }
  CALFVO_HD void Crown(Vec3 center, Vec3 radii, int leaves) { Add(Shape::kCrown, center, radii, leaves); }

  // Something to look at, from the front (local −y) but for `turn`.
  CALFVO_HD void AddSight(Vec3 local, float turn = 0.0F) {
    if (scene_.sight_count >= kMaxSights) return;
    scene_.sights[scene_.sight_count++] = {ToWorld(local), yaw_ + turn + 1.5707963F};
  }

  CALFVO_HD_CALL int AddMaterial(const Material& material) {
    const int index = scene_.material_count < kMaxMaterials ? scene_.material_count++ : kMaxMaterials - 1;
    scene_.materials[index] = material;
    scene_.materials[index].seed = static_cast<uint16_t>(random_.Bits() >> 16);
    return index;
  }

  // What is added between BeginMover and EndMover moves as one. Movers come after all static primitives.
  CALFVO_HD void BeginMover() {
    if (scene_.mover_count == 0) scene_.static_count = scene_.primitive_count;
    mover_first_ = scene_.primitive_count;
    limit_ = kMaxPrimitives;
    overflow_ = false;
  }
  CALFVO_HD_CALL void EndMover(Vec3 velocity, Vec3 swing, float rate) {
    const int count = scene_.primitive_count - mover_first_;
    if (count == 0) return;
    if (scene_.mover_count >= kMaxMovers || overflow_) {
      scene_.primitive_count = mover_first_;
      return;
    }
    const int index = scene_.mover_count++;
    Mover& mover = scene_.movers[index];
    mover = Mover{};
    mover.box.first = mover_first_;
    mover.box.count = count;
    mover.velocity = velocity;
    mover.swing = swing;
    mover.rate = rate;
    mover.phase = random_.Uniform(0.0F, 6.2831853F);
    mover.box.low = {kMoverFar, kMoverFar, kMoverFar};
    mover.box.high = -mover.box.low;
    for (int i = mover_first_; i < scene_.primitive_count; ++i) {
      Primitive& p = scene_.primitives[i];
      Vec3 low;
      Vec3 high;
      Bounds(p, low, high);
      mover.box.low = Min(mover.box.low, low);
      mover.box.high = Max(mover.box.high, high);
      p.info = PackInfo(p.shape(), p.material(), index, p.variation());
    }
  }

  // Call once, when everything has been added.
  CALFVO_HD void CountStatic() {
    if (scene_.mover_count == 0) scene_.static_count = scene_.primitive_count;
  }

  // How many static primitives may still be added, less those kept for what comes later.
  CALFVO_HD int PrimitivesLeft() const { return limit_ - kept_ - scene_.primitive_count; }
  CALFVO_HD void KeepPrimitives(int count) { kept_ = count; }

 private:
  static constexpr int kReservedForMovers = 96;

  CALFVO_HD Vec3 Turn(Vec3 v) const {
    return {cosine_ * v.x - sine_ * v.y, sine_ * v.x + cosine_ * v.y, v.z};
  }

  Scene& scene_;
  Random random_;
  Vec3 origin_;
  float yaw_ = 0.0F;
  float sine_ = 0.0F;
  float cosine_ = 1.0F;
  int mover_first_ = 0;
  int kept_ = 0;
  int limit_ = kMaxPrimitives - kReservedForMovers;
  bool overflow_ = false;  // something of the current mover did not fit
};

}  // namespace calfvo::synth
