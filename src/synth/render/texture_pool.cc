// SPDX-License-Identifier: Apache-2.0
#include "synth/render/texture_pool.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "calfvo/error.h"

namespace calfvo {
void TexturePool::Add(const uint8_t* rgb, int width, int height) {
  if (width < 1 || height < 1) {
    throw Error("a texture of " + std::to_string(width) + " × " + std::to_string(height) + " pixels");
  }
  constexpr int kSize = synth::kTextureSize;
  // Box filter from the source, then each level from the one before.
  std::vector<std::array<float, 3>> level(static_cast<size_t>(kSize) * kSize);
  for (int y = 0; y < kSize; ++y) {
    const int y0 = y * height / kSize;
    const int y1 = std::max((y + 1) * height / kSize, y0 + 1);
    for (int x = 0; x < kSize; ++x) {
      const int x0 = x * width / kSize;
      const int x1 = std::max((x + 1) * width / kSize, x0 + 1);
      std::array<float, 3> sum{};
      for (int sy = y0; sy < y1; ++sy) {
        for (int sx = x0; sx < x1; ++sx) {
          for (int c = 0; c < 3; ++c) sum[c] += rgb[3 * (static_cast<size_t>(sy) * width + sx) + c];
        }
      }
      const float share = 1.0F / static_cast<float>((y1 - y0) * (x1 - x0));
      for (int c = 0; c < 3; ++c) level[static_cast<size_t>(y) * kSize + x][c] = sum[c] * share;
    }
  }
  for (int size = kSize; size >= 1; size /= 2) {
    for (int i = 0; i < size * size; ++i) {
      uint32_t texel = 0;
      for (int c = 0; c < 3; ++c) texel |= static_cast<uint32_t>(std::lround(level[i][c])) << (8 * c);
      texels_.push_back(texel);
    }
    const int half = size / 2;
    for (int i = 0; i < half * half; ++i) {
      const int x = 2 * (i % half);
      const int y = 2 * (i / half);
      for (int c = 0; c < 3; ++c) {
        level[i][c] = 0.25F * (level[y * size + x][c] + level[y * size + x + 1][c] +
                               level[(y + 1) * size + x][c] + level[(y + 1) * size + x + 1][c]);
      }
    }
  }
  ++count_;
}

}  // namespace calfvo
