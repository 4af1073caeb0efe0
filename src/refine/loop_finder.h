// SPDX-License-Identifier: Apache-2.0
// Places seen twice: candidates by appearance, verified against the map.
//
// False loops are worse than missed ones. A candidate must pass a perspective-n-point fit, a guided search
// over the map around it, and agree with another loop nearby.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <vector>

#include "calfvo/geometry.h"
#include "core/image/gray_image.h"
#include "refine/camera_params.h"
#include "refine/tracks.h"

namespace calfvo {

struct LoopOptions {
  int features = 1200;      // ORB per keyframe
  int keyframe_stride = 1;  // every how many keyframes one is described
  int min_frames_apart = 100;
  int candidates = 3;  // per keyframe
  int min_pnp_inliers = 20;
  double min_pnp_share = 0.35;  // of the matches
  int min_guided_inliers = 50;
  double min_guided_share = 0.08;  // of the map points in view, or of the features if fewer
  double min_spread = 0.10;        // standard deviation of the inliers, of the image's longer side
  double max_log_scale = 0.35;
  int agreement_keyframes = 5;  // another loop within this many keyframes …
  double agreement_m = 0.12;    // … must agree in position, relative to the scene's depth in 4 m,
  double agreement_rad = 0.06;  // … and rotation
};

// A verified loop.
struct Loop {
  // A feature of `second` that sees a map point: one that keyframes `anchor` and `partner` triangulated.
  struct Match {
    Eigen::Vector2d anchor_pixel = Eigen::Vector2d::Zero();
    Eigen::Vector2d partner_pixel = Eigen::Vector2d::Zero();
    Eigen::Vector2d second_pixel = Eigen::Vector2d::Zero();
    double inverse_depth = 0.0;  // in the anchor
    int anchor = 0;
    int partner = 0;
  };
  int first = 0;                       // keyframe, the earlier one
  int second = 0;                      // keyframe
  Similarity3 first_from_second = {};  // maps the second's metres to the first's
  std::vector<Match> matches = {};
};

// Of the points of its matches, in metres.
double MedianDepth(const Loop& loop);

// One video; keyframes are numbered from 0. About 45 bytes per feature and keyframe are kept.
class LoopFinder {
 public:
  explicit LoopFinder(const LoopOptions& options = {});
  ~LoopFinder();

  // The next keyframe's image, and what to ignore of it as FeatureTracker::Track takes it. Keyframes that are
  // not described cost nothing.
  void AddKeyframe(const GrayImage& image, const GrayImage* mask = nullptr);

  // Loops among all keyframes added, whose poses are those of `keyframes`.
  std::vector<Loop> Find(const std::vector<Keyframe>& keyframes, const CameraParams& camera,
                         double image_height) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace calfvo
