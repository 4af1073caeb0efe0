// SPDX-License-Identifier: Apache-2.0
#include "datasets/matrix_frames.h"

#include <string>
#include <utility>

#include "datasets/pose_text.h"

namespace calfvo {

std::vector<PictureFile> MatrixFrames(const std::filesystem::path& pictures,
                                      const std::filesystem::path& poses, const MatrixFrameNames& names) {
  std::vector<PictureFile> frames;
  for (NumberedFile& file : NumberedFiles(pictures, names.prefix, names.picture_suffix)) {
    std::string pose_name = file.path.filename().string();
    pose_name.resize(pose_name.size() - names.picture_suffix.size());
    pose_name += names.pose_suffix;
    frames.push_back({.timestamp_ns = kMatrixFrameRate.TimestampNs(file.number),
                      .world_from_camera = ReadMatrixPose(poses / pose_name),
                      .path = std::move(file.path)});
  }
  return frames;
}

}  // namespace calfvo
