// SPDX-License-Identifier: Apache-2.0
// The one driver of the paper's inference: the pipeline feeds it from a source, class Odometry from its
// caller.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/image/gray_image.h"
#include "vo/tracker.h"

namespace calfvo {

// What remains of a frame once its image has been prepared.
struct FrameRecord {
  int64_t index = 0;  // in the source
  int64_t timestamp_ns = 0;
  int width = 0;
  int height = 0;
  double width_over_height = 1.0;                   // when displayed: pixels need not be square
  std::string damage;                               // as Frame::damage
  int dropped_before = 0;                           // camera frames lost just before this one
  std::shared_ptr<const GrayImage> gray = nullptr;  // with PipelineOptions::gray_side
  std::shared_ptr<const GrayImage> mask = nullptr;  // of gray's size: 0 where it is to be ignored, else 255
};

// Receives every frame with its pose, in order, on the calling thread.
using PoseSink = std::function<void(const FrameRecord& frame, const TrackedPose& pose)>;

// Tracks one video and pairs each pose with its frame. The first frame's shape is that of the video.
class VideoDriver {
 public:
  // Borrows `estimator` and starts a new video on it.
  VideoDriver(WindowEstimator& estimator, const TrackerOptions& options)
      : estimator_(estimator), tracker_(estimator, options) {}

  // Adds the next frames, with their prepared images as WindowEstimator::AddFrames expects them.
  void Add(std::vector<FrameRecord> frames, std::span<const float* const> images);
  // Ends the video: every frame now has its pose. Add must not follow.
  void Finish() { tracker_.Finish(poses_); }
  // Hands out the poses that have become final.
  void TakePoses(const PoseSink& sink);

  // The frame added last with its provisional pose (Tracker::EstimateNewest); nothing before the first.
  std::optional<std::pair<FrameRecord, TrackedPose>> EstimateNewest();

  const Tracker& tracker() const { return tracker_; }

 private:
  WindowEstimator& estimator_;
  Tracker tracker_;
  std::optional<FrameRecord> newest_;
  std::deque<FrameRecord> frames_;  // whose poses are not final or not taken yet
  std::vector<TrackedPose> poses_;
};

}  // namespace calfvo
