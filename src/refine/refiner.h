// SPDX-License-Identifier: Apache-2.0
// Geometric refinement of a video's trajectory: the network's poses, corner tracks and a self-calibrated
// camera in one adjustment.
//
//   tracks → keyframes → windows of keyframes, each adjusted with the network's poses as priors
//          → frames between keyframes → refined and network edges blended by evidence → composed trajectory
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "calfvo/camera.h"
#include "calfvo/refine.h"
#include "core/geometry/covariance.h"
#include "vo/video_driver.h"

namespace calfvo {

// A pose after refinement.
struct RefinedPose {
  FrameRecord frame = {};           // without its image
  TrackedPose pose = {};            // refined: pose, covariance, edge
  Rigid3 network_from_camera = {};  // world_from_camera of the network alone
  double rotation_weight = 0.0;     // share of the refined edge in the result, 0 to 1
  double translation_weight = 0.0;
};

// The course of an adjustment, for figures.
struct KeyframeCourse {
  int64_t frame = 0;
  int tracks = 0;
  double residual_px = 0.0;  // median reprojection error; 0 without tracks
};
struct CameraCourse {  // the estimate when the window that ends at `frame` had been adjusted
  int64_t frame = 0;
  double focal_px = 0.0;
  double focal_sigma_px = 0.0;
};

// What refinement found besides poses.
struct RefineSummary {
  Camera camera = {};
  double accepted_share = 0.0;  // mean weight of refined edges
  double tracks_per_frame = 0.0;
  int64_t keyframes = 0;
  std::vector<MapPoint> points = {};
  std::vector<LoopEdge> loops = {};
  double scale = 1.0;        // that RefineOptions::camera_height_m or distance applied
  double scale_sigma = 0.0;  // relative; 0: not known
  std::vector<std::string> warnings =
      {};  // hints of RefineOptions that contradict the video, or cannot be used
  std::vector<KeyframeCourse> keyframe_course = {};
  std::vector<CameraCourse> camera_course = {};
  double seconds = 0.0;  // processor time of the calling thread
};

using RefinedSink = std::function<void(const RefinedPose&)>;

// The longer side of the images that refinement tracks, in pixels.
inline constexpr int kTrackedSide = 640;

// One video. One thread at a time. Throws Error for invalid options, and where CanRefine() is false.
// The same frames and poses give the same result to the bit.
class Refiner {
 public:
  // `correlation` is that of the network's errors (WindowEstimator::step_correlation). `live`: poses leave as
  // soon as they are final, a few keyframes late, and loops are not closed.
  Refiner(const RefineOptions& options, bool live, const EdgeCorrelation& correlation, RefinedSink sink);
  ~Refiner();

  // The next frame with its final pose. `frame.gray` must be set: kTrackedSide pixels at most.
  void Add(const FrameRecord& frame, const TrackedPose& pose);
  // Ends the video: every frame has been handed to the sink afterwards.
  RefineSummary Finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace calfvo
