// SPDX-License-Identifier: Apache-2.0
// Pictures from files, through FFmpeg.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace calfvo {

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<uint8_t> rgb;  // [H, W, 3], rows from the top
};

// Whether this build can read pictures at all.
bool CanReadPictures();

// The first picture of a file in any format that FFmpeg knows (JPEG, PNG, WebP, video …), scaled to
// width × height by averaging where both are given, as it is otherwise. Throws Error naming the file.
Picture ReadPicture(const std::filesystem::path& path, int width = 0, int height = 0);

}  // namespace calfvo
