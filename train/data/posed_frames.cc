// SPDX-License-Identifier: Apache-2.0
#include "data/posed_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "calfvo/error.h"

namespace calfvo::train {
namespace {

class Trimmed : public SequenceSource {
 public:
  Trimmed(std::unique_ptr<SequenceSource> source, int64_t first)
      : source_(std::move(source)),
        first_(first),
        frames_(source_->frames().begin() + first, source_->frames().end()) {}

  const std::string& name() const override { return source_->name(); }
  const std::vector<SequenceFrame>& frames() const override { return frames_; }
  std::optional<CameraIntrinsics> intrinsics() const override { return source_->intrinsics(); }
  void Read(int64_t index, Frame& picture) const override { source_->Read(first_ + index, picture); }

 private:
  const std::unique_ptr<SequenceSource> source_;
  const int64_t first_;
  const std::vector<SequenceFrame> frames_;
};

}  // namespace

std::unique_ptr<SequenceSource> FromFirstPose(std::unique_ptr<SequenceSource> source) {
  const std::vector<SequenceFrame>& frames = source->frames();
  const auto posed = std::find_if(frames.begin(), frames.end(), [](const SequenceFrame& frame) {
    return frame.world_from_camera.has_value();
  });
  if (posed == frames.end()) {
    throw Error(fmt::format("{}: none of its {} frames has a pose", source->name(), frames.size()));
  }
  if (posed == frames.begin()) return source;
  const int64_t first = posed - frames.begin();
  return std::make_unique<Trimmed>(std::move(source), first);
}

std::vector<Rigid3> PosesUntilInvalid(const SequenceSource& source) {
  std::vector<Rigid3> poses;
  for (const SequenceFrame& frame : source.frames()) {
    if (!frame.world_from_camera) break;
    poses.push_back(*frame.world_from_camera);
  }
  return poses;
}

}  // namespace calfvo::train
