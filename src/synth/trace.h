// SPDX-License-Identifier: Apache-2.0
// What a ray meets first, and whether anything stands between two points.
#pragma once

#include "synth/movers.h"
#include "synth/shapes.h"
#include "synth/terrain.h"

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

// The t at which a ray enters a box, or kFar when it misses it or enters beyond `limit`.
CALFVO_HD float EnterBox(Vec3 low, Vec3 high, Vec3 origin, Vec3 inverse, float limit) {
  const float ax = (low.x - origin.x) * inverse.x;
  const float bx = (high.x - origin.x) * inverse.x;
  const float ay = (low.y - origin.y) * inverse.y;
  const float by = (high.y - origin.y) * inverse.y;
  const float az = (low.z - origin.z) * inverse.z;
  const float bz = (high.z - origin.z) * inverse.z;
  const float near = Max(Max(Min(ax, bx), Min(ay, by)), Max(Min(az, bz), 0.0F));
  const float far = Min(Min(Max(ax, bx), Max(ay, by)), Min(Max(az, bz), limit));
  return near <= far ? near : kFar;
}

// Static primitives, through the hierarchy. With `kAny`, stops at the first hit found before hit.t.
template <bool kAny>
CALFVO_HD void TraceStatic(const Scene& scene, const Ray& ray, Vec3 inverse, Hit& hit) {
  if (scene.node_count == 0) return;
  // An entry holds the upper 20 bits of the distance, rounded down, and a node in the lower 12: a node that
  // has been overtaken by a nearer hit is dropped without being read.
  uint32_t stack[kMaxDepth + 2];
  int depth = 0;
  const Node root = Load(scene.nodes[0]);
  if (EnterBox(root.low, root.high, ray.origin, inverse, hit.t) == kFar) return;
  int first = root.first;
  int count = root.count;
  while (true) {
    if (count > 0) {
      CALFVO_ROLLED
      for (int i = first; i < first + count; ++i) {
        const float t = IntersectPrimitive(scene.primitives[i], ray);
        if (t < hit.t) {
          hit = {t, i};
          if (kAny) return;
        }
      }
    } else {
      const Node a = Load(scene.nodes[first]);
      const Node b = Load(scene.nodes[first + 1]);
      const float enter_a = EnterBox(a.low, a.high, ray.origin, inverse, hit.t);
      const float enter_b = EnterBox(b.low, b.high, ray.origin, inverse, hit.t);
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
                           Vec3 inverse, Hit& hit) {
  const Node all = Load(table.bounds);
  if (all.count == 0 || EnterBox(all.low, all.high, ray.origin, inverse, hit.t) == kFar) return;
  CALFVO_ROLLED
  for (int m = 0; m < all.count; ++m) {
    const Node box = Load(scene.movers[m].box);
    const Ray moved{ray.origin - table.OffsetAt(m, dt), ray.direction};
    if (EnterBox(box.low, box.high, moved.origin, inverse, hit.t) == kFar) continue;
    CALFVO_ROLLED
    for (int i = box.first; i < box.first + box.count; ++i) {
      const float t = IntersectPrimitive(scene.primitives[i], moved);
      if (t < hit.t) {
        hit = {t, i};
        if (kAny) return;
      }
    }
  }
}

CALFVO_HD Vec3 Inverse(Vec3 direction) {
  return {SafeInverse(direction.x), SafeInverse(direction.y), SafeInverse(direction.z)};
}

// The nearest surface, `dt` seconds after the time of the table. `direction` has unit length.
CALFVO_HD Hit Trace(const Scene& scene, const MoverTable& table, float dt, const Ray& ray) {
  Hit hit;
  // Over terrain the hierarchy goes first: it often spares the march over the ground.
  const bool flat = scene.terrain.size <= 0.0F;
  if (flat) {
    const float t = IntersectGround(scene.terrain, ray, kFar);
    if (t < kFar) hit = {t, kGround};
  }
  const Vec3 inverse = Inverse(ray.direction);
  TraceStatic<false>(scene, ray, inverse, hit);
  TraceMovers<false>(scene, table, dt, ray, inverse, hit);
  if (!flat) {
    const float t = IntersectGround(scene.terrain, ray, hit.t);
    if (t < hit.t) hit = {t, kGround};
  }
  return hit;
}

// Whether something hides the point at `distance` along the ray. Terrain casts no shadow.
CALFVO_HD bool IsHidden(const Scene& scene, const MoverTable& table, float dt, const Ray& ray,
                        float distance) {
  Hit hit{distance, kNothing};
  const Vec3 inverse = Inverse(ray.direction);
  TraceStatic<true>(scene, ray, inverse, hit);
  if (hit.primitive == kNothing) TraceMovers<true>(scene, table, dt, ray, inverse, hit);
  return hit.primitive != kNothing;
}

}  // namespace calfvo::synth
