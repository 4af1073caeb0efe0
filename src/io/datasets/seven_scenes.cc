// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/loaders.h"
#include "io/datasets/matrix_frames.h"
#include "io/datasets/paths.h"

namespace calfvo {

bool IsSevenScenes(const std::filesystem::path& path) {
  return IsFile(path / "frame-000000.color.png");
}

OpenedSequence OpenSevenScenes(const std::filesystem::path& path, const std::string& name) {
  const CameraIntrinsics official{.fx = 585.0, .fy = 585.0, .cx = 320.0, .cy = 240.0};
  return MakeFileSequence(name, path, MatrixFrames(path, path, {"frame-", ".color.png", ".pose.txt"}),
                          official);
}

}  // namespace calfvo
