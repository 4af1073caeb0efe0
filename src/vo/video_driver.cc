// SPDX-License-Identifier: Apache-2.0
#include "vo/video_driver.h"

#include <iterator>

namespace calfvo {

void VideoDriver::Add(std::vector<FrameRecord> frames, std::span<const float* const> images) {
  if (frames.empty()) return;
  if (!newest_) estimator_.SetImageAspect(frames.front().width_over_height);
  newest_ = frames.back();
  std::move(frames.begin(), frames.end(), std::back_inserter(frames_));
  tracker_.Add(images, poses_);
}

std::optional<std::pair<FrameRecord, TrackedPose>> VideoDriver::EstimateNewest() {
  if (!newest_) return std::nullopt;
  return std::pair(*newest_, tracker_.EstimateNewest());
}

void VideoDriver::TakePoses(const PoseSink& sink) {
  for (const TrackedPose& pose : poses_) {
    sink(frames_.front(), pose);
    frames_.pop_front();
  }
  poses_.clear();
}

}  // namespace calfvo
