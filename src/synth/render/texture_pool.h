// SPDX-License-Identifier: Apache-2.0
// Images for surfaces.
#pragma once

#include <cstdint>
#include <vector>

#include "synth/render/textures.h"

namespace calfvo {

class TexturePool {
 public:
  // Scales an [H, W, 3] image to 256 × 256 and adds it with its smaller copies.
  void Add(const uint8_t* rgb, int width, int height);

  // Valid until the pool changes.
  synth::TextureView view() const { return {texels_.data(), count_}; }
  int size() const { return count_; }

 private:
  std::vector<uint32_t> texels_;
  int count_ = 0;
};

}  // namespace calfvo
