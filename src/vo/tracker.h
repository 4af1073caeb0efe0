// SPDX-License-Identifier: Apache-2.0
// The paper's inference: overlapping windows, fused edges, a composed trajectory.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "calfvo/geometry.h"
#include "vo/edge_fusion.h"
#include "vo/window_estimator.h"

namespace calfvo {

struct TrackedPose {
  int64_t frame = 0;  // as added, from 0
  Rigid3 world_from_camera;
  Matrix6 covariance = Matrix6::Zero();  // of (δp, δθ) as in calfvo/trajectory.h, relative to the first frame
  FusedEdge edge;                        // from the previous frame; the identity for frame 0
};

struct TrackerOptions {
  int overlap = 5;     // frames that consecutive windows share, 1 … K − 1
  int max_batch = 64;  // frames that one Add may bring
  // The windows that Add starts are collected by the next Add, after it has queued its frames: faster on a
  // device, one batch later.
  bool defer = false;

  // Throws Error naming the option, for windows of `window` frames.
  void Validate(int window) const;
};

// Seconds spent so far.
struct TrackerTimes {
  double encode_s = 0.0;
  double window_s = 0.0;
  double fuse_s = 0.0;
};

// Windows of K frames start at 0, Δ, 2Δ, … with Δ = K − overlap, and a last one ends at the last frame. A
// pose is final as soon as no later window can contain the edge before it. So poses do not depend on how
// frames are split over calls, memory does not depend on the video's length, and a pose follows its image by
// at most latency_frames() frames, plus a batch if deferred.
//
// Fewer than K frames: the last one is repeated to fill a window, and edges among the repeats are dropped.
class Tracker {
 public:
  // Borrows `estimator` and starts a new video on it.
  Tracker(WindowEstimator& estimator, const TrackerOptions& options);

  // Adds the next prepared images and appends the poses that became final.
  void Add(std::span<const float* const> images, std::vector<TrackedPose>& poses);

  // The pose of the frame added last, as Finish would give it now. Computes a window that ends there unless
  // Add has just done so. Not with `defer`, nor before the first frame.
  TrackedPose EstimateNewest();

  // Ends the video: appends the remaining poses, so that every frame has one. Add must not follow.
  void Finish(std::vector<TrackedPose>& poses);

  static int LatencyFrames(int window, int overlap) { return 2 * window - overlap - 3; }
  int latency_frames() const { return LatencyFrames(window_, window_ - advance_); }
  const TrackerTimes& times() const { return times_; }

 private:
  void FillWindow();
  void BeginWindows();
  void CollectWindows();
  // The pose after `last`, by the estimates of the edge between them.
  static void Follow(std::span<const PairEstimate> estimates, CovarianceChain& covariance, TrackedPose& last);
  bool HasWindowAtEnd() const {
    return next_window_ >= advance_ && next_window_ - advance_ + window_ == frames_;
  }
  void EmitEdges(int64_t end, std::vector<TrackedPose>& poses);

  WindowEstimator& estimator_;
  const int window_;   // K
  const int advance_;  // Δ
  const bool defer_;
  int64_t frames_ = 0;
  int64_t next_window_ = 0;                        // where the next regular window starts
  std::vector<int64_t> begun_;                     // first frames of windows that have not been collected
  int64_t emitted_edges_ = 0;                      // edge i joins frames i and i + 1
  std::deque<std::vector<PairEstimate>> pending_;  // estimates of the edges from emitted_edges_ on
  TrackedPose last_;
  CovarianceChain covariance_;
  TrackerTimes times_;
};

}  // namespace calfvo
