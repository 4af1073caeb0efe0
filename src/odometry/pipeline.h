// SPDX-License-Identifier: Apache-2.0
// Frames in, poses out, with reading and estimating side by side.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "frames/frame_source.h"
#include "odometry/tracker.h"

namespace calfvo {

// What is kept of a frame once its picture has been prepared.
struct FrameRecord {
  int64_t index = 0;  // in the source
  int64_t timestamp_ns = 0;
  int width = 0;
  int height = 0;
  double width_over_height = 1.0;  // when displayed: pixels need not be square
  std::string damage;              // as Frame::damage
  int dropped_before = 0;          // frames of a camera that were lost just before this one
};

struct PipelineOptions {
  int overlap = 5;  // as in TrackerOptions
  // Frames that are estimated together; more is faster, and later.
  int batch = 12;
  // One frame at a time, as they come. Frames of a live source that find `queue` waiting are dropped and
  // counted.
  bool live = false;
  int queue = 32;
  // Set from elsewhere to end early: what has been read is still estimated.
  const std::atomic<bool>* stop = nullptr;
};

// Seconds per stage. Reading (decode, preprocess) runs beside the rest.
struct StageTimes {
  double decode_s = 0.0;
  double preprocess_s = 0.0;
  double encode_s = 0.0;
  double window_s = 0.0;
  double fuse_s = 0.0;
  double write_s = 0.0;
};

struct PipelineResult {
  int64_t frames = 0;
  int64_t dropped = 0;
  int latency_frames = 0;      // at most so many after its picture a pose comes, in a live run
  bool interrupted = false;    // by `stop`, before the source was read to its end
  std::exception_ptr failure;  // why the source ended early, if it did
  StageTimes times;
};

// Receives every frame's pose, in order, on the calling thread.
using PoseSink = std::function<void(const FrameRecord& frame, const TrackedPose& pose)>;

// Reads `source` to its end on a thread of its own while the calling thread estimates; hands `sink` one pose
// per frame. The estimator is told the first picture's shape. Memory is bounded by the queue. Poses depend
// neither on `batch` nor on `live`. Where the source fails, what had been read before is still estimated and
// the failure is in the result; other errors are thrown, without waiting for a source that waits.
PipelineResult RunPipeline(FrameSource& source, WindowEstimator& estimator, const PipelineOptions& options,
                           const PoseSink& sink);

}  // namespace calfvo
