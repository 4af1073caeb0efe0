// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/matrix_frames.h"

#include <string>
#include <utility>

#include "io/datasets/pose_text.h"

namespace calfvo {

std::vector<ImageFile> MatrixFrames(const std::filesystem::path& images, const std::filesystem::path& poses,
                                    const MatrixFrameNames& names) {
  std::vector<ImageFile> frames;
  for (NumberedFile& file : NumberedFiles(images, names.prefix, names.image_suffix)) {
    std::string pose_name = file.path.filename().string();
    pose_name.resize(pose_name.size() - names.image_suffix.size());
    pose_name += names.pose_suffix;
    frames.push_back({.timestamp_ns = kMatrixFrameRate.TimestampNs(file.number),
                      .world_from_camera = ReadMatrixPose(poses / pose_name),
                      .path = std::move(file.path)});
  }
  return frames;
}

}  // namespace calfvo
