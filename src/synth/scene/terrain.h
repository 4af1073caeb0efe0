// SPDX-License-Identifier: Apache-2.0
// The height field under a scene: heights bilinear between grid samples, met by rays in steps that the
// steepest slope makes safe.
#pragma once

#include "synth/scene/shapes.h"

namespace calfvo::synth {

CALFVO_HD float TerrainHeight(const Terrain& terrain, float x, float y) {
  if (terrain.size <= 0.0F) return 0.0F;
  const float scale = static_cast<float>(kTerrainSamples - 1) / terrain.size;
  const float last = static_cast<float>(kTerrainSamples - 1) - 1e-3F;
  const float gx = Clamp((x + 0.5F * terrain.size) * scale, 0.0F, last);
  const float gy = Clamp((y + 0.5F * terrain.size) * scale, 0.0F, last);
  const int ix = static_cast<int>(gx);
  const int iy = static_cast<int>(gy);
  const float u = gx - static_cast<float>(ix);
  const float v = gy - static_cast<float>(iy);
  const float* h = terrain.heights + iy * kTerrainSamples + ix;
  return Mix(Mix(h[0], h[1], u), Mix(h[kTerrainSamples], h[kTerrainSamples + 1], u), v);
}

// Smoother than the true facets, so that light does not show the grid.
CALFVO_HD Vec3 TerrainNormal(const Terrain& terrain, float x, float y) {
  if (terrain.size <= 0.0F) return {0.0F, 0.0F, 1.0F};
  const float step = terrain.size / static_cast<float>(kTerrainSamples - 1);
  const float dx = TerrainHeight(terrain, x + step, y) - TerrainHeight(terrain, x - step, y);
  const float dy = TerrainHeight(terrain, x, y + step) - TerrainHeight(terrain, x, y - step);
  return Normalized(Vec3{-dx, -dy, 2.0F * step});
}

// The t at which a ray from above meets the ground before `limit`, or kFar. `direction` has unit length.
CALFVO_HD float IntersectGround(const Terrain& terrain, const Ray& ray, float limit) {
  const Vec3 o = ray.origin;
  const Vec3 d = ray.direction;
  if (terrain.size <= 0.0F) {
    const float t = -o.z * SafeInverse(d.z);
    return t > kNearest && t < limit ? t : kFar;
  }
  float t = kNearest;
  if (o.z > terrain.high) {
    if (d.z >= 0.0F) return kFar;
    t = (terrain.high - o.z) / d.z;
  }
  const float level = sqrtf(d.x * d.x + d.y * d.y);
  const float closing = Max(terrain.slope * level - d.z, 1e-3F);  // fastest that the gap can shrink
  float before = t;
  float gap_before = 0.0F;
  CALFVO_ROLLED
  for (int i = 0; i < 96 && before < limit; ++i) {
    const float z = o.z + t * d.z;
    if (z > terrain.high && d.z >= 0.0F) return kFar;
    const float gap = z - TerrainHeight(terrain, o.x + t * d.x, o.y + t * d.y);
    if (gap <= 0.0F) {
      // The surface lies between `before` and t: a few steps of the secant rule place it.
      float a = before;
      float b = t;
      float gap_a = gap_before;
      float gap_b = gap;
      CALFVO_ROLLED
      for (int j = 0; j < 4 && gap_a > 0.0F && b - a > 1e-6F * b; ++j) {
        const float c = a + (b - a) * Saturate(gap_a / Max(gap_a - gap_b, 1e-9F));
        const float gap_c = o.z + c * d.z - TerrainHeight(terrain, o.x + c * d.x, o.y + c * d.y);
        if (gap_c > 0.0F) {
          a = c;
          gap_a = gap_c;
        } else {
          b = c;
          gap_b = gap_c;
        }
        t = c;
      }
      return t > kNearest && t < limit ? t : kFar;
    }
    before = t;
    gap_before = gap;
    // Far away a miss by a fraction of a pixel is allowed for the sake of speed.
    t += Max(gap / closing, 0.03F * t) + 1e-3F;
  }
  // A ray that skims over the ground for very long ends there rather than in a hole.
  return t < limit && gap_before < 0.05F * t ? before : kFar;
}

}  // namespace calfvo::synth
