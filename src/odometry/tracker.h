// SPDX-License-Identifier: Apache-2.0
// The paper's inference: overlapping windows, fused edges, a composed trajectory.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "calfvo/geometry.h"
#include "odometry/edge_fusion.h"
#include "odometry/window_estimator.h"

namespace calfvo {

struct TrackedPose {
  int64_t frame = 0;  // as added, from 0
  Rigid3 world_from_camera;
  Matrix6 covariance = Matrix6::Zero();  // of (δp, δθ) as in calfvo/trajectory.h, relative to the first frame
  FusedEdge edge;                        // from the frame before; the identity without estimates for frame 0
};

struct TrackerOptions {
  int overlap = 5;     // frames that consecutive windows share, 1 … K − 1
  int max_batch = 64;  // frames that one Add may bring
  // Add leaves the windows it has begun to the next Add, which encodes its frames beside them: faster on a
  // device, and a batch later.
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
// pose is given out as soon as no later window can contain the edge before it, whether or not the video goes
// on. So poses do not depend on how frames are split over calls, memory does not depend on the video's
// length, and a pose comes at most latency_frames() frames after its picture, or a batch later if deferred.
//
// Fewer than K frames: the last one is repeated to fill a window, and edges among the repeats are dropped.
class Tracker {
 public:
  // Borrows `estimator` and starts a new video on it.
  Tracker(WindowEstimator& estimator, const TrackerOptions& options);

  // Adds the next pictures (as WindowEstimator wants them) and appends the poses that became final.
  void Add(std::span<const float* const> pictures, std::vector<TrackedPose>& poses);

  // Ends the video: appends all poses that are left, so that there is one per frame. Add must not follow.
  void Finish(std::vector<TrackedPose>& poses);

  int latency_frames() const { return window_ + advance_ - 3; }
  const TrackerTimes& times() const { return times_; }

 private:
  void FillWindow();
  void BeginWindows();
  void CollectWindows();
  void EmitEdges(int64_t end, std::vector<TrackedPose>& poses);

  WindowEstimator& estimator_;
  const int window_;   // K
  const int advance_;  // Δ
  const bool defer_;
  int64_t frames_ = 0;
  int64_t next_window_ = 0;                        // where the next regular window starts
  std::vector<int64_t> begun_;                     // first frames of windows that have not been collected
  int64_t emitted_edges_ = 0;                      // edge i joins frames i and i + 1
  std::deque<std::vector<PairEstimate>> pending_;  // opinions about the edges from emitted_edges_ on
  TrackedPose last_;
  CovarianceChain covariance_;
  TrackerTimes times_;
};

}  // namespace calfvo
