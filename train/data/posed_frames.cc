// SPDX-License-Identifier: Apache-2.0
#include "data/posed_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "calfvo/error.h"
#include "io/datasets/invalid_poses.h"

namespace calfvo::train {
std::unique_ptr<Sequence> FromFirstPose(std::unique_ptr<Sequence> source) {
  const std::vector<SequenceFrame>& frames = source->frames();
  const auto posed = std::find_if(frames.begin(), frames.end(), [](const SequenceFrame& frame) {
    return frame.world_from_camera.has_value();
  });
  if (posed == frames.end()) {
    throw Error(fmt::format("{}: none of its {} frames has a pose", source->name(), frames.size()));
  }
  if (posed == frames.begin()) return source;
  const int64_t first = posed - frames.begin();
  const auto count = static_cast<int64_t>(frames.size()) - first;
  return Subsequence(std::move(source), first, count);
}

std::vector<Rigid3> PosesUntilInvalid(const Sequence& source) {
  std::vector<Rigid3> poses;
  for (const SequenceFrame& frame : source.frames()) {
    if (!frame.world_from_camera) break;
    poses.push_back(*frame.world_from_camera);
  }
  return poses;
}

}  // namespace calfvo::train
