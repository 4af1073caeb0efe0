// SPDX-License-Identifier: Apache-2.0
// Rays through neighbouring pixels meet the same few things. Boxes that all rays of a tile of the picture
// miss are found once for the tile, by interval arithmetic, instead of by every ray that walks the hierarchy.
#pragma once

#include "synth/trace.h"

namespace calfvo::synth {

// Origins and directions of many rays, axis by axis.
struct RayBounds {
  Vec3 origin_low{kFar, kFar, kFar};
  Vec3 origin_high{-kFar, -kFar, -kFar};
  Vec3 direction_low{kFar, kFar, kFar};
  Vec3 direction_high{-kFar, -kFar, -kFar};
};

CALFVO_HD void Include(const Ray& ray, RayBounds& bounds) {
  bounds.origin_low = Min(bounds.origin_low, ray.origin);
  bounds.origin_high = Max(bounds.origin_high, ray.origin);
  bounds.direction_low = Min(bounds.direction_low, ray.direction);
  bounds.direction_high = Max(bounds.direction_high, ray.direction);
}

// What the tests of a bundle of rays against many boxes have in common, along one axis.
struct BundleAxis {
  float origin_low;
  float origin_high;
  float rise;   // 1 / the largest direction; kFar when no ray rises
  float fall;   // likewise of falling rays
  float leave;  // 1 / the direction that is last out of a slab, with its sign; 0 when rays go both ways

  CALFVO_HD static BundleAxis From(float origin_low, float origin_high, float low, float high) {
    constexpr float kStill = 1e-12F;
    return {origin_low, origin_high, high > kStill ? 1.0F / high : kFar, low < -kStill ? -1.0F / low : kFar,
            low > kStill     ? 1.0F / low
            : high < -kStill ? 1.0F / high
                             : 0.0F};
  }
  // Before this t no ray is in the slab.
  CALFVO_HD float Enter(float low, float high) const {
    return Max((low - origin_high) * rise, (origin_low - high) * fall);
  }
  // After this t none is.
  CALFVO_HD float Leave(float low, float high) const {
    if (leave == 0.0F) return kFar;
    return leave > 0.0F ? (high - origin_low) * leave : (low - origin_high) * leave;
  }
};

struct Bundle {
  BundleAxis x, y, z;
};

CALFVO_HD Bundle ToBundle(const RayBounds& b) {
  return {BundleAxis::From(b.origin_low.x, b.origin_high.x, b.direction_low.x, b.direction_high.x),
          BundleAxis::From(b.origin_low.y, b.origin_high.y, b.direction_low.y, b.direction_high.y),
          BundleAxis::From(b.origin_low.z, b.origin_high.z, b.direction_low.z, b.direction_high.z)};
}

// A t before which no ray of the bundle is in the box, or kFar when certainly none meets it.
CALFVO_HD float EnterBox(const Node& box, const Bundle& bundle) {
  const float near = Max(Max(bundle.x.Enter(box.low.x, box.high.x), bundle.y.Enter(box.low.y, box.high.y)),
                         Max(bundle.z.Enter(box.low.z, box.high.z), 0.0F));
  const float far = Min(Min(bundle.x.Leave(box.low.x, box.high.x), bundle.y.Leave(box.low.y, box.high.y)),
                        bundle.z.Leave(box.low.z, box.high.z));
  return near <= far && near < kFar ? near : kFar;
}

// The boxes that a tile's rays may meet, nearest first: leaves of the hierarchy and movers.
inline constexpr int kMaxCandidates = 64;
struct Candidates {
  Node boxes[kMaxCandidates];
  float near[kMaxCandidates];  // see EnterBox
  int count = 0;               // beyond kMaxCandidates: too many, and the arrays are not to be read
};

// Places to look for candidates are numbered: nodes, then movers. False for those that hold no primitives.
CALFVO_HD int CandidatePlaces(const Scene& scene) {
  return scene.node_count + scene.mover_count;
}
CALFVO_HD bool CandidateBox(const Scene& scene, const MoverTable& table, int place, Node& box) {
  if (place == 1) return false;  // see StartBvh
  box = place < scene.node_count ? Load(scene.nodes[place]) : Load(table.boxes[place - scene.node_count]);
  return box.count > 0;
}

// The GPU does the same with a block of threads, see cuda_render.cu.
inline void FindCandidates(const Scene& scene, const MoverTable& table, const Bundle& bundle,
                           Candidates& candidates) {
  candidates.count = 0;
  for (int place = 0; place < CandidatePlaces(scene); ++place) {
    Node box;
    if (!CandidateBox(scene, table, place, box)) continue;
    const float near = EnterBox(box, bundle);
    if (near == kFar) continue;
    if (++candidates.count > kMaxCandidates) return;
    int to = candidates.count - 1;
    for (; to > 0 && candidates.near[to - 1] > near; --to) {
      candidates.near[to] = candidates.near[to - 1];
      candidates.boxes[to] = candidates.boxes[to - 1];
    }
    candidates.near[to] = near;
    candidates.boxes[to] = box;
  }
}

// As Trace, for a ray of the bundle that the candidates were found for.
CALFVO_HD Hit TraceAmong(const Candidates& candidates, const Scene& scene, const MoverTable& table, float dt,
                         const Ray& ray) {
  const int count = candidates.count;
  if (count > kMaxCandidates) return Trace(scene, table, dt, ray);
  return NearestHit(scene, ray, [&](const BoxRay& box_ray, Hit& hit) {
    CALFVO_ROLLED
    for (int c = 0; c < count && candidates.near[c] <= hit.t; ++c) {
      const Node box = Load(candidates.boxes[c]);
      if (EnterBox(box, box_ray, hit.t) == kFar) continue;
      const int mover = scene.primitives[box.first].mover();
      const Ray moved = mover < 0 ? ray : Ray{ray.origin - table.OffsetAt(mover, dt), ray.direction};
      TracePrimitives<false>(scene, box.first, box.count, moved, hit);
    }
  });
}

}  // namespace calfvo::synth
