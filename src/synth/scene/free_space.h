// SPDX-License-Identifier: Apache-2.0
// Whether a camera may be at a point: away from every surface and inside the scene.
#pragma once

#include "synth/scene/movers.h"
#include "synth/scene/shapes.h"
#include "synth/scene/terrain.h"

namespace calfvo::synth {

// A lower bound of the distance in metres from a point to a primitive, 0 inside: exact for boxes and upright
// cylinders, that of the surrounding box for prisms and tapered boxes, of an inscribed estimate for the rest.
CALFVO_HD float DistanceBelow(const Primitive& p, Vec3 point) {
  const Vec3 u = PointToUnit(p, point);
  const Vec3 h = p.half_size;
  if (p.shape() == Shape::kSphere || p.shape() == Shape::kCrown) {
    return Max(Norm(u) - 1.0F, 0.0F) * Min(h.x, Min(h.y, h.z));
  }
  const float dz = Max(fabsf(u.z) - 1.0F, 0.0F) * h.z;
  if (p.shape() == Shape::kCylinder || p.shape() == Shape::kCone) {
    const float out = Max(sqrtf(u.x * u.x + u.y * u.y) - 1.0F, 0.0F) * Min(h.x, h.y);
    return sqrtf(out * out + dz * dz);
  }
  const float dx = Max(fabsf(u.x) - 1.0F, 0.0F) * h.x;
  const float dy = Max(fabsf(u.y) - 1.0F, 0.0F) * h.y;
  return sqrtf(dx * dx + dy * dy + dz * dz);
}

CALFVO_HD bool IsNear(Vec3 low, Vec3 high, Vec3 p, float distance) {
  return p.x > low.x - distance && p.x < high.x + distance && p.y > low.y - distance &&
         p.y < high.y + distance && p.z > low.z - distance && p.z < high.z + distance;
}

CALFVO_HD bool IsInside(Vec3 low, Vec3 high, Vec3 p) {
  return IsNear(low, high, p, 0.0F);
}

// True when, `time_s` seconds after the start, no surface is nearer to `p` than `clearance` metres and `p`
// lies in the space of the scene. It errs on the safe side: a point near an ellipsoid or a slope may be
// called occupied up to a few times the clearance away.
CALFVO_HD bool IsFree(const Scene& scene, Vec3 p, float clearance, float time_s) {
  if (!IsInside(scene.space_low[0], scene.space_high[0], p) &&
      !IsInside(scene.space_low[1], scene.space_high[1], p)) {
    return false;
  }
  if (p.z - TerrainHeight(scene.terrain, p.x, p.y) < clearance * (1.0F + scene.terrain.slope)) return false;

  int stack[kMaxDepth + 2];
  int depth = 0;
  if (scene.node_count > 0) stack[depth++] = 0;
  while (depth > 0) {
    const Node& node = scene.nodes[stack[--depth]];
    if (!IsNear(node.low, node.high, p, clearance)) continue;
    if (node.count == 0) {
      stack[depth++] = node.first + 1;
      stack[depth++] = node.first;
      continue;
    }
    for (int i = node.first; i < node.first + node.count; ++i) {
      if (DistanceBelow(scene.primitives[i], p) < clearance) return false;
    }
  }
  for (int m = 0; m < scene.mover_count; ++m) {
    const Mover& mover = scene.movers[m];
    const Vec3 at_start = p - MoverOffset(mover, time_s);
    if (!IsNear(mover.box.low, mover.box.high, at_start, clearance)) continue;
    for (int i = mover.box.first; i < mover.box.first + mover.box.count; ++i) {
      if (DistanceBelow(scene.primitives[i], at_start) < clearance) return false;
    }
  }
  return true;
}

}  // namespace calfvo::synth
