// SPDX-License-Identifier: Apache-2.0
// Square images for surfaces, with their smaller copies, as the renderers read them.
#pragma once

#include <cstdint>

#include "core/portable/noise.h"
#include "synth/scene/scene.h"

namespace calfvo::synth {

inline constexpr int kTextureSize = 256;
inline constexpr int kTextureLevels = 9;
inline constexpr int kTextureTexels = (4 * kTextureSize * kTextureSize - 1) / 3;  // of all levels

// Borrowed images: `count` times kTextureTexels texels of 8 bits (R lowest, then G, B), the full-size level
// first, then 128², 64², … 1². Empty when count is 0.
struct TextureView {
  const uint32_t* texels = nullptr;
  int count = 0;
};

CALFVO_HD Vec3 TexelColor(uint32_t texel) {
  return {static_cast<float>(texel & 255U), static_cast<float>((texel >> 8) & 255U),
          static_cast<float>((texel >> 16) & 255U)};
}

// Linear colour at (u, v) in repeats of the image; `footprint` is the size of a pixel in the same unit.
CALFVO_HD Vec3 SampleTexture(TextureView textures, int image, float u, float v, float footprint) {
  int size = kTextureSize;
  const uint32_t* level = textures.texels + static_cast<int64_t>(image % textures.count) * kTextureTexels;
  for (float width = footprint * (0.8F * kTextureSize); width > 1.0F && size > 1; width *= 0.5F) {
    level += size * size;
    size /= 2;
  }
  const float x = (u - Floor(u)) * static_cast<float>(size) - 0.5F;
  const float y = (v - Floor(v)) * static_cast<float>(size) - 0.5F;
  const float fx = Floor(x);
  const float fy = Floor(y);
  const int x0 = static_cast<int>(fx) & (size - 1);
  const int y0 = static_cast<int>(fy) & (size - 1);
  const int x1 = (x0 + 1) & (size - 1);
  const int y1 = (y0 + 1) & (size - 1);
  const float s = x - fx;
  const float t = y - fy;
  const Vec3 top = Mix(TexelColor(level[y0 * size + x0]), TexelColor(level[y0 * size + x1]), s);
  const Vec3 bottom = Mix(TexelColor(level[y1 * size + x0]), TexelColor(level[y1 * size + x1]), s);
  const Vec3 encoded = Mix(top, bottom, t) * (1.0F / 255);
  return encoded * encoded;
}

}  // namespace calfvo::synth
