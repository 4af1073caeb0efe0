// SPDX-License-Identifier: Apache-2.0
#include "clip/texture_folder.h"

#include <algorithm>
#include <vector>

#include "calfvo/error.h"
#include "frames/image_decoder.h"

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
  Frame picture;
  for (const auto& path : paths) {
    ReadImageFile(path, picture);
    pool.Add(picture.rgb.data(), picture.width, picture.height);
  }
  return pool;
}

}  // namespace calfvo
