// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/invalid_poses.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "calfvo/error.h"

namespace calfvo {
namespace {

constexpr std::string_view kNames[] = {"keep", "truncate", "drop"};  // in the order of InvalidPoses

class Part : public Sequence {
 public:
  Part(std::unique_ptr<Sequence> source, int64_t first, int64_t count)
      : source_(std::move(source)),
        first_(first),
        frames_(source_->frames().begin() + first, source_->frames().begin() + first + count) {}

  const std::string& name() const override { return source_->name(); }
  const std::vector<SequenceFrame>& frames() const override { return frames_; }
  std::optional<CameraIntrinsics> intrinsics() const override { return source_->intrinsics(); }
  void Read(int64_t index, Frame& image) const override { source_->Read(first_ + index, image); }

 private:
  const std::unique_ptr<Sequence> source_;
  const int64_t first_;
  const std::vector<SequenceFrame> frames_;
};

}  // namespace

std::vector<std::string_view> InvalidPosesNames() {
  return {std::begin(kNames), std::end(kNames)};
}

InvalidPoses InvalidPosesFromName(std::string_view name) {
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found == std::end(kNames)) {
    throw Error(fmt::format("'{}' is not a treatment of invalid poses; expected one of {}", name,
                            fmt::join(kNames, ", ")));
  }
  return static_cast<InvalidPoses>(found - std::begin(kNames));
}

int64_t FramesUntilInvalid(const Sequence& sequence) {
  const std::vector<SequenceFrame>& frames = sequence.frames();
  const auto has_pose = [](const SequenceFrame& frame) { return frame.world_from_camera.has_value(); };
  const auto valid = std::find_if(frames.begin(), frames.end(), has_pose);
  return std::find_if_not(valid, frames.end(), has_pose) - frames.begin();
}

std::unique_ptr<Sequence> Subsequence(std::unique_ptr<Sequence> source, int64_t first, int64_t count) {
  return std::make_unique<Part>(std::move(source), first, count);
}

std::unique_ptr<Sequence> WithoutInvalidPoses(std::unique_ptr<Sequence> source, InvalidPoses what) {
  const int64_t valid = FramesUntilInvalid(*source);
  const auto all = static_cast<int64_t>(source->frames().size());
  if (what == InvalidPoses::kKeep || valid == all) return source;
  if (what == InvalidPoses::kDrop) return nullptr;
  return Subsequence(std::move(source), 0, valid);
}

}  // namespace calfvo
