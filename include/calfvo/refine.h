// SPDX-License-Identifier: Apache-2.0
// Geometric refinement: better poses, the camera's intrinsics and a sparse map (docs/refine.md).
//
//   const calfvo::RefinedTrajectory result = calfvo::EstimateRefinedTrajectory(calfvo::Model(), "walk.mp4");
//   std::printf("f = %.0f px\n", result.camera.focal_px);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calfvo/camera.h"
#include "calfvo/model.h"
#include "calfvo/odometry.h"
#include "calfvo/trajectory.h"

namespace calfvo {

// The straight distance between the camera's positions at two times, in seconds after the first frame.
struct KnownDistance {
  double first_s = 0.0;
  double second_s = 0.0;
  double metres = 0.0;
};

// What is known of the camera and its path, whether to close loops, and what to ignore.
struct RefineOptions {
  // The focal length in pixels of the input, or the horizontal field of view: at most one of them.
  std::optional<double> focal_px = {};
  std::optional<double> fov_deg = {};
  double focal_sigma = 0.02;  // relative standard deviation of the given one; 0 holds it
  bool loops = true;          // close loops
  // Regions to ignore, such as a car's bonnet or people: an image for all frames, or a folder of images or a
  // video with one per frame of the input. Black is ignored: nothing is tracked there, and the network sees
  // it filled smoothly. Empty: none.
  std::string mask = {};

  // One of these fixes the scale of the path. Not for live runs: both need the whole video.
  std::optional<double> camera_height_m = {};  // above the ground, which must be in view for some of the time
  std::optional<KnownDistance> distance = {};

  // Throws Error naming the option.
  void Validate() const;
};

// A refined trajectory with what was estimated beside it.
struct RefinedTrajectory {
  Trajectory trajectory = {};        // refined
  Trajectory network = {};           // of the network alone, without covariances
  std::vector<double> weights = {};  // share of refinement in each pose's relative pose, 0 to 1
  Camera camera = {};
  std::vector<MapPoint> points = {};
  std::vector<LoopEdge> loops = {};
  double scale = 1.0;  // that a known height or distance applied; `network` is without it
  std::vector<std::string> warnings =
      {};  // hints of RefineOptions that contradict the video, or cannot be used
};

// Whether this build can refine: it was built with Ceres and OpenCV.
bool CanRefine();

// EstimateTrajectory with refinement. Calls `options.on_pose`, if set, with the network's poses as they come.
// Throws Error as EstimateTrajectory does, for invalid options, and if CanRefine() is false.
RefinedTrajectory EstimateRefinedTrajectory(const Model& model, const std::string& input,
                                            const EstimateOptions& options = {},
                                            const RefineOptions& refine = {});

}  // namespace calfvo
