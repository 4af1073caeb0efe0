// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/texture_folder.h"

#include <algorithm>
#include <vector>

#include "calfvo/error.h"
#include "core/image/image_decoder.h"

namespace calfvo {

TexturePool ReadTextures(const std::filesystem::path& folder) {
  TexturePool pool;
  if (folder.empty()) return pool;
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (HasImageName(entry.path())) paths.push_back(entry.path());
  }
  if (error) throw Error(folder.string() + ": " + error.message());
  if (paths.empty()) throw Error(folder.string() + ": holds no image; expected PNG, JPEG, PPM or PGM files");
  std::sort(paths.begin(), paths.end());
  Frame image;
  for (const auto& path : paths) {
    ReadImageFile(path, image);
    pool.Add(image.rgb.data(), image.width, image.height);
  }
  return pool;
}

}  // namespace calfvo
