// SPDX-License-Identifier: Apache-2.0
// Arithmetic that is fast on both sides: the C library's fminf, fmaxf and floorf are calls on a plain x86-64,
// its sine differs from the GPU's.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/portable/host_device.h"
#include "core/portable/vec3.h"

namespace calfvo::synth {

#if defined(__CUDA_ARCH__)
CALFVO_HD float Min(float a, float b) {
  return fminf(a, b);
}
CALFVO_HD float Max(float a, float b) {
  return fmaxf(a, b);
}
CALFVO_HD float Floor(float x) {
  return floorf(x);
}
#else
CALFVO_HD float Min(float a, float b) {
  return a < b ? a : b;
}
CALFVO_HD float Max(float a, float b) {
  return a > b ? a : b;
}
// For |x| < 2³¹.
CALFVO_HD float Floor(float x) {
  const float whole = static_cast<float>(static_cast<int>(x));
  return whole > x ? whole - 1.0F : whole;
}
#endif

CALFVO_HD portable::Vec3 Min(portable::Vec3 a, portable::Vec3 b) {
  return {Min(a.x, b.x), Min(a.y, b.y), Min(a.z, b.z)};
}
CALFVO_HD portable::Vec3 Max(portable::Vec3 a, portable::Vec3 b) {
  return {Max(a.x, b.x), Max(a.y, b.y), Max(a.z, b.z)};
}
CALFVO_HD float Clamp(float x, float low, float high) {
  return Min(Max(x, low), high);
}
CALFVO_HD float Saturate(float x) {
  return Min(Max(x, 0.0F), 1.0F);
}
CALFVO_HD float Mix(float a, float b, float t) {
  return a + (b - a) * t;
}
CALFVO_HD portable::Vec3 Mix(portable::Vec3 a, portable::Vec3 b, float t) {
  return a + (b - a) * t;
}

// Sine and cosine by polynomials, |error| < 2e-6 for |radians| < 1000.
CALFVO_HD void SinCos(float radians, float& sine, float& cosine) {
  const float turns = radians * 0.63661977F;  // quarter turns
  const float nearest = Floor(turns + 0.5F);
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
