// SPDX-License-Identifier: Apache-2.0
// Rays through neighbouring pixels meet the same few things, and so do those from there to the light. Boxes
// that all rays of a tile of the image miss are found once for the tile, by interval arithmetic, instead of
// by every ray that walks the hierarchy.
#pragma once

#include "synth/scene/trace.h"

namespace calfvo::synth {

// The smallest box around the points added; empty at first.
struct Box {
  Vec3 low{kFar, kFar, kFar};
  Vec3 high{-kFar, -kFar, -kFar};
};

CALFVO_HD void Include(Vec3 point, Box& box) {
  box.low = Min(box.low, point);
  box.high = Max(box.high, point);
}
CALFVO_HD bool IsEmpty(const Box& box) {
  return box.low.x > box.high.x;
}

// Where many rays start and which way they go.
struct RayBounds {
  Box origins;
  Box directions;
};

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
  const Box& o = b.origins;
  const Box& d = b.directions;
  return {BundleAxis::From(o.low.x, o.high.x, d.low.x, d.high.x),
          BundleAxis::From(o.low.y, o.high.y, d.low.y, d.high.y),
          BundleAxis::From(o.low.z, o.high.z, d.low.z, d.high.z)};
}

// A t before which no ray of the bundle is in the box, or kFar when certainly none meets it.
CALFVO_HD float EnterBox(const Node& box, const Bundle& bundle) {
  const float near = Max(Max(bundle.x.Enter(box.low.x, box.high.x), bundle.y.Enter(box.low.y, box.high.y)),
                         Max(bundle.z.Enter(box.low.z, box.high.z), 0.0F));
  const float far = Min(Min(bundle.x.Leave(box.low.x, box.high.x), bundle.y.Leave(box.low.y, box.high.y)),
                        bundle.z.Leave(box.low.z, box.high.z));
  return near <= far && near < kFar ? near : kFar;
}

// Places to look for boxes are numbered: nodes, then movers.
CALFVO_HD int CandidatePlaces(const Scene& scene) {
  return scene.node_count + scene.mover_count;
}
CALFVO_HD const Node& BoxAt(const Scene& scene, const MoverTable& table, int place) {
  return place < scene.node_count ? scene.nodes[place] : table.boxes[place - scene.node_count];
}
// As EnterBox; kFar, too, where there are no primitives.
CALFVO_HD float EnterPlace(const Scene& scene, const MoverTable& table, int place, const Bundle& bundle) {
  if (place == 1) return kFar;  // see StartBvh
  const Node box = Load(BoxAt(scene, table, place));
  return box.count > 0 ? EnterBox(box, bundle) : kFar;
}

// The boxes that a tile's rays may meet, nearest first: leaves of the hierarchy and movers.
inline constexpr int kMaxCandidates = kMaxPrimitives + kMaxMovers;  // a leaf holds at least one primitive
struct Candidates {
  float near[kMaxCandidates];  // see EnterBox
  const Node* boxes[kMaxCandidates];
  int count;
};

// The GPU does the same with a block of threads, see cuda_render.cu.
inline void FindCandidates(const Scene& scene, const MoverTable& table, const RayBounds& bounds,
                           Candidates& candidates) {
  candidates.count = 0;
  if (IsEmpty(bounds.origins)) return;
  const Bundle bundle = ToBundle(bounds);
  for (int place = 0; place < CandidatePlaces(scene); ++place) {
    const float near = EnterPlace(scene, table, place, bundle);
    if (near == kFar) continue;
    int to = candidates.count++;
    for (; to > 0 && candidates.near[to - 1] > near; --to) {
      candidates.near[to] = candidates.near[to - 1];
      candidates.boxes[to] = candidates.boxes[to - 1];
    }
    candidates.near[to] = near;
    candidates.boxes[to] = &BoxAt(scene, table, place);
  }
}

// With `kAny`, stops at the first hit found before hit.t.
template <bool kAny>
CALFVO_HD void TraceCandidates(const Candidates& candidates, const Scene& scene, const MoverTable& table,
                               float dt, const Ray& ray, const BoxRay& box_ray, Hit& hit) {
  const int count = candidates.count;
  CALFVO_ROLLED
  for (int c = 0; c < count && candidates.near[c] <= hit.t; ++c) {
    const Node box = Load(*candidates.boxes[c]);
    if (EnterBox(box, box_ray, hit.t) == kFar) continue;
    const int mover = scene.primitives[box.first].mover();
    const Ray moved = mover < 0 ? ray : Ray{ray.origin - table.OffsetAt(mover, dt), ray.direction};
    if (TracePrimitives<kAny>(scene, box.first, box.count, moved, hit)) return;
  }
}

// As Trace, for a ray of the bundle that the candidates were found for.
CALFVO_HD Hit TraceAmong(const Candidates& candidates, const Scene& scene, const MoverTable& table, float dt,
                         const Ray& ray) {
  return NearestHit(scene, ray, [&](const BoxRay& box_ray, Hit& hit) {
    TraceCandidates<false>(candidates, scene, table, dt, ray, box_ray, hit);
  });
}

// As IsHidden, likewise.
CALFVO_HD bool IsHiddenAmong(const Candidates& candidates, const Scene& scene, const MoverTable& table,
                             float dt, const Ray& ray, float distance) {
  Hit hit{distance, kNothing};
  TraceCandidates<true>(candidates, scene, table, dt, ray, ToBoxRay(ray), hit);
  return hit.primitive != kNothing;
}

}  // namespace calfvo::synth
