// SPDX-License-Identifier: Apache-2.0
// Images with a 4×4 matrix file each, as 7-Scenes and ScanNet's exporters have them.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "io/datasets/file_sequence.h"
#include "io/video/frame_rate.h"

namespace calfvo {

// These sets have no times, or none that can be trusted; their cameras take 30 images per second.
constexpr FrameRate kMatrixFrameRate{30, 1};

struct MatrixFrameNames {
  std::string_view prefix;
  std::string_view image_suffix;
  std::string_view pose_suffix;
};

// Image and pose belong together where their names are equal but for the suffix.
std::vector<ImageFile> MatrixFrames(const std::filesystem::path& images, const std::filesystem::path& poses,
                                    const MatrixFrameNames& names);

}  // namespace calfvo
