// SPDX-License-Identifier: Apache-2.0
// What is known of the camera along a video: a prior before its first window, then the posterior of the last.
#pragma once

#include <cstdint>
#include <string>

#include "calfvo/camera.h"
#include "calfvo/refine.h"
#include "refine/window.h"
#include "vo/video_driver.h"

namespace calfvo {

class CameraEstimate {
 public:
  // Of `options`, the focal length or field of view.
  explicit CameraEstimate(const RefineOptions& options) : options_(options) {}

  // The prior for a video with this first frame, whose `gray` must be set.
  void Start(const FrameRecord& frame);
  // What the next window assumes of the camera.
  void Prepare(WindowOptions& window) const;
  // Takes a window's camera as the prior of the next one. `keyframes`: all of the video so far.
  void Carry(const RefinedWindow& refined, int64_t keyframes);
  // Takes a camera estimated otherwise; its σ stays.
  void Replace(const CameraParams& camera) { prior_.mean = camera; }

  // A warning if the tracks of this window deny the focal length that the user gave; else empty.
  std::string CheckGiven(const RefinedWindow& refined) const;

  const CameraPrior& prior() const { return prior_; }
  double tracked_focal_px() const;                          // in pixels of the images that are tracked
  double input_focal_px(const CameraParams& camera) const;  // in pixels of the input
  Camera Result() const;

 private:
  bool is_given() const { return options_.focal_px || options_.fov_deg; }

  RefineOptions options_;
  CameraPrior first_prior_;
  CameraPrior prior_;
  CameraParams posterior_sigma_ = {};
  bool search_focal_ = true;
  bool try_distortion_ = true;
  double tracked_height_ = 0.0;
  int width_ = 0;
  int height_ = 0;
  double scale_ = 1.0;  // pixels of the input per pixel of the tracked images
};

}  // namespace calfvo
