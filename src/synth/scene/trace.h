// SPDX-License-Identifier: Apache-2.0
// The first hit of a ray, and visibility between two points.
#pragma once

#include "synth/scene/movers.h"
#include "synth/scene/shapes.h"
#include "synth/scene/terrain.h"

namespace calfvo::synth {

inline constexpr int kNothing = -1;
inline constexpr int kGround = -2;

struct Hit {
  float t = kFar;
  int primitive = kNothing;  // index into Scene::primitives, kGround or kNothing
};

CALFVO_HD uint32_t FloatBits(float x) {
  union {
    float f;
    uint32_t u;
  } bits;
  bits.f = x;
  return bits.u;
}
CALFVO_HD float FloatFromBits(uint32_t u) {
  union {
    float f;
    uint32_t u;
  } bits;
  bits.u = u;
  return bits.f;
}

// What the tests of a ray against many boxes have in common: a plane x = c is met at c · inverse.x + shift.x.
// Rounding moves planes by 1e-7 of the origin's coordinates, which is less than the margin of boxes.
struct BoxRay {
  Vec3 inverse;  // 1 / direction
  Vec3 shift;    // −origin / direction
};

CALFVO_HD BoxRay ToBoxRay(const Ray& ray) {
  const Vec3 inverse{SafeInverse(ray.direction.x), SafeInverse(ray.direction.y),
                     SafeInverse(ray.direction.z)};
  return {inverse, {-ray.origin.x * inverse.x, -ray.origin.y * inverse.y, -ray.origin.z * inverse.z}};
}

// The t at which a ray enters a box, or kFar when it misses it or enters beyond `limit`.
CALFVO_HD float EnterBox(const Node& box, const BoxRay& ray, float limit) {
  const float ax = box.low.x * ray.inverse.x + ray.shift.x;
  const float bx = box.high.x * ray.inverse.x + ray.shift.x;
  const float ay = box.low.y * ray.inverse.y + ray.shift.y;
  const float by = box.high.y * ray.inverse.y + ray.shift.y;
  const float az = box.low.z * ray.inverse.z + ray.shift.z;
  const float bz = box.high.z * ray.inverse.z + ray.shift.z;
  const float near = Max(Max(Min(ax, bx), Min(ay, by)), Max(Min(az, bz), 0.0F));
  const float far = Min(Min(Max(ax, bx), Max(ay, by)), Min(Max(az, bz), limit));
  return near <= far ? near : kFar;
}

// `count` primitives from `first`. With `kAny`, returns true at the first hit before hit.t.
template <bool kAny>
CALFVO_HD bool TracePrimitives(const Scene& scene, int first, int count, const Ray& ray, Hit& hit) {
  CALFVO_ROLLED
  for (int i = first; i < first + count; ++i) {
    const float t = IntersectPrimitive(scene.primitives[i], ray);
    if (t < hit.t) {
      hit = {t, i};
      if (kAny) return true;
    }
  }
  return false;
}

// Static primitives, through the hierarchy. With `kAny`, stops at the first hit found before hit.t.
template <bool kAny>
CALFVO_HD void TraceStatic(const Scene& scene, const Ray& ray, const BoxRay& box_ray, Hit& hit) {
  if (scene.node_count == 0) return;
  // An entry holds the upper 20 bits of the distance, rounded down, and a node in the lower 12: a node that
  // has been overtaken by a nearer hit is dropped without being read.
  uint32_t stack[kMaxDepth + 2];
  int depth = 0;
  const Node root = Load(scene.nodes[0]);
  if (EnterBox(root, box_ray, hit.t) == kFar) return;
  int first = root.first;
  int count = root.count;
  while (true) {
    if (count > 0) {
      if (TracePrimitives<kAny>(scene, first, count, ray, hit)) return;
    } else {
      const Node a = Load(scene.nodes[first]);
      const Node b = Load(scene.nodes[first + 1]);
      const float enter_a = EnterBox(a, box_ray, hit.t);
      const float enter_b = EnterBox(b, box_ray, hit.t);
      const bool a_first = enter_a <= enter_b;
      const float near = a_first ? enter_a : enter_b;
      const float far = a_first ? enter_b : enter_a;
      if (near < kFar) {
        if (far < kFar) {
          stack[depth++] =
              (FloatBits(far) & 0xFFFFF000U) | static_cast<uint32_t>(a_first ? first + 1 : first);
        }
        first = a_first ? a.first : b.first;
        count = a_first ? a.count : b.count;
        continue;
      }
    }
    do {
      if (depth == 0) return;
      --depth;
    } while (FloatFromBits(stack[depth] & 0xFFFFF000U) > hit.t);
    const Node& waiting = scene.nodes[stack[depth] & 0xFFFU];
    first = waiting.first;
    count = waiting.count;
  }
}

template <bool kAny>
CALFVO_HD void TraceMovers(const Scene& scene, const MoverTable& table, float dt, const Ray& ray,
                           const BoxRay& box_ray, Hit& hit) {
  const Node all = Load(table.bounds);
  if (all.count == 0 || EnterBox(all, box_ray, hit.t) == kFar) return;
  CALFVO_ROLLED
  for (int m = 0; m < all.count; ++m) {
    const Node box = Load(table.boxes[m]);
    if (EnterBox(box, box_ray, hit.t) == kFar) continue;
    const Ray moved{ray.origin - table.OffsetAt(m, dt), ray.direction};
    if (TracePrimitives<kAny>(scene, box.first, box.count, moved, hit)) return;
  }
}

// The nearest of the ground and what walk(box_ray, hit) finds nearer than `hit`.
template <typename Walk>
CALFVO_HD Hit NearestHit(const Scene& scene, const Ray& ray, const Walk& walk) {
  Hit hit;
  // Over terrain the things go first: they often spare the march over the ground.
  const bool flat = scene.terrain.size <= 0.0F;
  if (flat) {
    const float t = IntersectGround(scene.terrain, ray, kFar);
    if (t < kFar) hit = {t, kGround};
  }
  walk(ToBoxRay(ray), hit);
  if (!flat) {
    const float t = IntersectGround(scene.terrain, ray, hit.t);
    if (t < hit.t) hit = {t, kGround};
  }
  return hit;
}

// The nearest surface, `dt` seconds after the time of the table. `direction` has unit length.
CALFVO_HD Hit Trace(const Scene& scene, const MoverTable& table, float dt, const Ray& ray) {
  return NearestHit(scene, ray, [&](const BoxRay& box_ray, Hit& hit) {
    TraceStatic<false>(scene, ray, box_ray, hit);
    TraceMovers<false>(scene, table, dt, ray, box_ray, hit);
  });
}

// Whether something hides the point at `distance` along the ray. Terrain casts no shadow.
CALFVO_HD bool IsHidden(const Scene& scene, const MoverTable& table, float dt, const Ray& ray,
                        float distance) {
  Hit hit{distance, kNothing};
  const BoxRay box_ray = ToBoxRay(ray);
  TraceStatic<true>(scene, ray, box_ray, hit);
  if (hit.primitive == kNothing) TraceMovers<true>(scene, table, dt, ray, box_ray, hit);
  return hit.primitive != kNothing;
}

}  // namespace calfvo::synth
