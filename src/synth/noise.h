// SPDX-License-Identifier: Apache-2.0
// Small numeric pieces for materials and scenes: hashes of grid cells, value noise, and a sine and cosine
// whose bits are the same on the host and on the GPU.
#pragma once

#include <cmath>
#include <cstdint>

#include "portable/host_device.h"
#include "portable/vec3.h"
#include "synth/compile_hints.h"

namespace calfvo::synth {

CALFVO_HD float Clamp(float x, float low, float high) {
  return fminf(fmaxf(x, low), high);
}
CALFVO_HD float Saturate(float x) {
  return fminf(fmaxf(x, 0.0F), 1.0F);
}
CALFVO_HD float Mix(float a, float b, float t) {
  return a + (b - a) * t;
}
CALFVO_HD portable::Vec3 Mix(portable::Vec3 a, portable::Vec3 b, float t) {
  return a + (b - a) * t;
}

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

// Smooth noise in [0, 1] with one random value per unit cell.
CALFVO_HD float ValueNoise(float x, float y, uint32_t seed) {
  const float fx = floorf(x);
  const float fy = floorf(y);
  const int ix = static_cast<int>(fx);
  const int iy = static_cast<int>(fy);
  const float u = x - fx;
  const float v = y - fy;
  const float su = u * u * (3.0F - 2.0F * u);
  const float sv = v * v * (3.0F - 2.0F * v);
  const float bottom = Mix(UpperUnit(HashCell(ix, iy, seed)), UpperUnit(HashCell(ix + 1, iy, seed)), su);
  const float top = Mix(UpperUnit(HashCell(ix, iy + 1, seed)), UpperUnit(HashCell(ix + 1, iy + 1, seed)), su);
  return Mix(bottom, top, sv);
}

// Four octaves around 0, within about ±1. `footprint` is the size of a pixel in the units of (x, y); octaves
// finer than a few pixels fade out, so that the result does not flicker when the camera moves.
CALFVO_HD float FractalNoise(float x, float y, float footprint, uint32_t seed) {
  float sum = 0.0F;
  float amplitude = 1.0F;
CALFVO_ROLLED
  for (int octave = 0; octave < 4; ++octave) {
    const float weight = Saturate((1.0F - 2.0F * footprint) * 1.6F);
    if (weight <= 0.0F) break;
    sum += weight * amplitude * (ValueNoise(x, y, seed + static_cast<uint32_t>(octave)) * 2.0F - 1.0F);
    const float rotated = 1.9F * x - 1.1F * y;
    y = 1.1F * x + 1.9F * y;
    x = rotated;
    footprint *= 2.195F;
    amplitude *= 0.62F;
  }
  return sum;
}

// Sine and cosine by polynomials, |error| < 2e-6 for |radians| < 1000.
CALFVO_HD void SinCos(float radians, float& sine, float& cosine) {
  const float turns = radians * 0.63661977F;  // quarter turns
  const float nearest = floorf(turns + 0.5F);
  const float x = (turns - nearest) * 1.5707963F;
  const float x2 = x * x;
  const float s = x * (1.0F + x2 * (-0.16666667F + x2 * (0.008333331F - x2 * 0.00019840874F)));
  const float c = 1.0F + x2 * (-0.5F + x2 * (0.041666638F + x2 * (-0.0013888378F + x2 * 2.4760495e-5F)));
  const int quadrant = static_cast<int>(nearest) & 3;
  sine = (quadrant & 1) ? c : s;
  cosine = (quadrant & 1) ? s : c;
  if (quadrant & 2) sine = -sine;
  if (quadrant == 1 || quadrant == 2) cosine = -cosine;
}

}  // namespace calfvo::synth
