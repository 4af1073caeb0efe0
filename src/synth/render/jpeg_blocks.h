// SPDX-License-Identifier: Apache-2.0
// What JPEG does to an image without the bitstream: blocks of 8 × 8 in luma and chroma go through the cosine
// transform, are rounded to the steps of a quality, and come back.
#pragma once

#include "synth/render/effects.h"

namespace calfvo::synth {

// The rounding step of coefficient (u, v): finer for low frequencies, for luma and for high quality.
CALFVO_HD float QuantizationStep(int u, int v, bool chroma, int quality) {
  const float frequency = static_cast<float>(u + v);
  const float base =
      chroma ? 17.0F + 9.0F * frequency : 10.0F + 4.0F * frequency + 0.55F * frequency * frequency;
  const float scale =
      quality < 50 ? 50.0F / static_cast<float>(quality) : 2.0F - 0.02F * static_cast<float>(quality);
  return Max(Min(base, 110.0F) * scale, 1.0F);
}

// cos((2·x + 1)·u·π / 16), scaled to be orthonormal.
CALFVO_HD float CosineBasis(int x, int u) {
  float sine = 0.0F;
  float cosine = 0.0F;
  SinCos(static_cast<float>((2 * x + 1) * u) * 0.19634954F, sine, cosine);
  return cosine * (u == 0 ? 0.35355339F : 0.5F);
}

CALFVO_HD Vec3 ToLumaChroma(Vec3 rgb) {
  const float y = 0.299F * rgb.x + 0.587F * rgb.y + 0.114F * rgb.z;
  return {y, 0.564F * (rgb.z - y), 0.713F * (rgb.x - y)};
}
CALFVO_HD Vec3 FromLumaChroma(Vec3 c) {
  return {c.x + 1.403F * c.z, c.x - 0.344F * c.y - 0.714F * c.z, c.x + 1.773F * c.y};
}

// Rounds one coefficient; `index` is 8·v + u, `channel` 0 is luma.
CALFVO_HD float Quantize(float value, int index, int channel, int quality) {
  const float step = QuantizationStep(index & 7, index >> 3, channel > 0, quality);
  return Floor(value / step + 0.5F) * step;
}

}  // namespace calfvo::synth
