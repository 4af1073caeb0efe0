// SPDX-License-Identifier: Apache-2.0
// Images for surfaces, from memory or from a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "synth/textures.h"

namespace calfvo {

class TexturePool {
 public:
  // Every .png, .jpg and .jpeg file of a folder, in order of names. Throws Error naming the folder or the
  // file.
  static TexturePool FromFolder(const std::filesystem::path& folder);

  // Scales an [H, W, 3] picture to 256 × 256 and adds it with its smaller copies.
  void Add(const uint8_t* rgb, int width, int height);

  // Valid until the pool changes.
  synth::TextureView view() const { return {texels_.data(), count_}; }
  int size() const { return count_; }

 private:
  std::vector<uint32_t> texels_;
  int count_ = 0;
};

}  // namespace calfvo
