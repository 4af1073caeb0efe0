// SPDX-License-Identifier: Apache-2.0
// Hashes of grid cells and smooth noise made of them.
#pragma once

#include <cstdint>

#include "core/portable/compile_hints.h"
#include "core/portable/host_device.h"
#include "core/portable/numeric.h"

namespace calfvo::synth {

// Bits of a cell of the plane. One round: good enough for texture, cheap enough for every sample.
CALFVO_HD uint32_t HashCell(int x, int y, uint32_t seed) {
  uint32_t h = static_cast<uint32_t>(x) * 0x8C5F9E6BU + static_cast<uint32_t>(y) * 0xD1B54A35U +
               seed * 0xA24BAED5U + 0x51ED2705U;
  h ^= h >> 16;
  h *= 0x9FB21C65U;
  h ^= h >> 14;
  h *= 0xC7E1B4F3U;
  return h ^ (h >> 15);
}
// In [0, 1) from the upper and from the lower half of hashed bits.
CALFVO_HD float UpperUnit(uint32_t bits) {
  return static_cast<float>(bits >> 16) * 0x1p-16F;
}
CALFVO_HD float LowerUnit(uint32_t bits) {
  return static_cast<float>(bits & 0xFFFFU) * 0x1p-16F;
}

CALFVO_HD float CornerHeight(uint32_t h) {
  h ^= h >> 15;
  h *= 0x9FB21C65U;
  h ^= h >> 13;
  return static_cast<float>((h * 0xC7E1B4F3U) >> 8) * 0x1p-24F;
}

// Smooth noise in [0, 1] with one random value per unit cell.
CALFVO_HD float ValueNoise(float x, float y, uint32_t seed) {
  const float fx = Floor(x);
  const float fy = Floor(y);
  const int ix = static_cast<int>(fx);
  const int iy = static_cast<int>(fy);
  const float u = x - fx;
  const float v = y - fy;
  const float su = u * u * (3.0F - 2.0F * u);
  const float sv = v * v * (3.0F - 2.0F * v);
  const uint32_t base = static_cast<uint32_t>(ix) * 0x8C5F9E6BU + static_cast<uint32_t>(iy) * 0xD1B54A35U +
                        seed * 0xA24BAED5U + 0x51ED2705U;
  const float bottom = Mix(CornerHeight(base), CornerHeight(base + 0x8C5F9E6BU), su);
  const float top = Mix(CornerHeight(base + 0xD1B54A35U), CornerHeight(base + 0x8C5F9E6BU + 0xD1B54A35U), su);
  return Mix(bottom, top, sv);
}

// The same in space.
CALFVO_HD float ValueNoise(float x, float y, float z, uint32_t seed) {
  const float fz = Floor(z);
  const float w = z - fz;
  const uint32_t layer = seed + static_cast<uint32_t>(static_cast<int>(fz)) * 0x3C6EF372U;
  return Mix(ValueNoise(x, y, layer), ValueNoise(x, y, layer + 0x3C6EF372U), w * w * (3.0F - 2.0F * w));
}

// Five octaves around 0, within about ±1. `footprint` is the size of a pixel in the units of (x, y); octaves
// finer than about two pixels fade out, so that the result does not flicker when the camera moves.
CALFVO_HD float FractalNoise(float x, float y, float footprint, uint32_t seed) {
  float sum = 0.0F;
  float amplitude = 1.0F;
  CALFVO_ROLLED
  for (int octave = 0; octave < 5; ++octave) {
    const float weight = Saturate((1.0F - 1.5F * footprint) * 1.6F);
    if (weight <= 0.0F) break;
    sum += weight * amplitude * (ValueNoise(x, y, seed + static_cast<uint32_t>(octave)) * 2.0F - 1.0F);
    const float rotated = 1.9F * x - 1.1F * y;
    y = 1.1F * x + 1.9F * y;
    x = rotated;
    footprint *= 2.195F;
    amplitude *= 0.72F;
  }
  return sum;
}

}  // namespace calfvo::synth
