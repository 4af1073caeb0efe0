// SPDX-License-Identifier: Apache-2.0
// Staying out of walls. `is_free` is a functor bool(Vec3 position_in_world), callable on host and GPU alike,
// true where a camera may be; it should leave a margin around surfaces.
#pragma once

#include <cmath>

#include "core/portable/host_device.h"
#include "core/portable/vec3.h"
#include "synth/motion/rotation.h"

namespace calfvo::motion {

// For open space.
struct EverywhereFree {
  CALFVO_HD bool operator()(Vec3) const { return true; }
};

// Whether the straight way from `from` by `displacement` is free, its end included and its start not. Looks
// every `spacing_m`, but at most 16 times.
template <typename IsFree>
CALFVO_HD bool WayIsFree(const IsFree& is_free, Vec3 from, Vec3 displacement, float spacing_m = 0.05F) {
  const float wanted = ceilf(Norm(displacement) / spacing_m);
  const int count = wanted < 2.0F ? 2 : (wanted > 16.0F ? 16 : static_cast<int>(wanted));
  for (int i = 1; i <= count; ++i) {
    if (!is_free(from + displacement * (static_cast<float>(i) / static_cast<float>(count)))) return false;
  }
  return true;
}

// The part of the way from `from` by `displacement` that is free, in quarters: 0, 0.25, …, 1.
template <typename IsFree>
CALFVO_HD float FreePart(const IsFree& is_free, Vec3 from, Vec3 displacement) {
  for (int i = 1; i <= 4; ++i) {
    if (!is_free(from + displacement * (0.25F * static_cast<float>(i))))
      return 0.25F * static_cast<float>(i - 1);
  }
  return 1.0F;
}

// What lies ahead.
struct Outlook {
  float free_part = 1.0F;  // of the way wished for
  Vec3 way_out;            // unit vector of the freest way near it; zero if the way wished for is free
};

// Looks along `way` (metres) and, where that is blocked, along ways turned from it about `up`, up and down.
// The freest wins, among equals the one that turns least.
template <typename IsFree>
CALFVO_HD Outlook LookAhead(const IsFree& is_free, Vec3 from, Vec3 way, Vec3 up) {
  Outlook outlook;
  outlook.free_part = FreePart(is_free, from, way);
  if (outlook.free_part >= 1.0F) return outlook;
  const float kTurns[7] = {0.6F, -0.6F, 1.2F, -1.2F, 2.0F, -2.0F, 3.14159F};
  float best = outlook.free_part;
  Vec3 best_way = way;
  for (int i = 0; i < 9; ++i) {
    const Vec3 candidate =
        i < 7 ? ExpRotation(up * kTurns[i]) * way : up * ((i == 7 ? 1.0F : -1.0F) * Norm(way));
    // A preference too small to beat a quarter of the way, large enough to prefer small turns.
    const float score = FreePart(is_free, from, candidate) - 0.02F * static_cast<float>(i + 1);
    if (score > best) {
      best = score;
      best_way = candidate;
    }
  }
  const float length = Norm(best_way);
  if (length > 0.0F) outlook.way_out = best_way / length;
  return outlook;
}

// `displacement` if the way is free, else the nearest thing to it that is: turned about `up`, along the
// vertical, shorter, and at last none at all.
template <typename IsFree>
CALFVO_HD Vec3 FreeDisplacement(const IsFree& is_free, Vec3 from, Vec3 displacement, Vec3 up) {
  if (WayIsFree(is_free, from, displacement)) return displacement;
  const float kTurns[8] = {0.0F, 0.6F, -0.6F, 1.2F, -1.2F, 2.0F, -2.0F, 3.14159F};
  for (float scale = 1.0F; scale > 0.1F; scale *= 0.5F) {
    for (int i = 0; i < 8; ++i) {
      const Vec3 turned = ExpRotation(up * kTurns[i]) * displacement * scale;
      if (WayIsFree(is_free, from, turned)) return turned;
      const Vec3 level = turned - up * Dot(up, turned);
      if (WayIsFree(is_free, from, level)) return level;
    }
    const Vec3 vertical = up * Dot(up, displacement) * scale;
    if (WayIsFree(is_free, from, vertical)) return vertical;
    if (WayIsFree(is_free, from, -vertical)) return -vertical;
  }
  return {};
}

}  // namespace calfvo::motion
