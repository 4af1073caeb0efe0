// SPDX-License-Identifier: Apache-2.0
// Camera intrinsics and map points: what geometric refinement estimates beside poses.
//
// Pixel coordinates: the image's top left corner is (0, 0) and the first pixel's centre (0.5, 0.5), as in
// COLMAP. A point (x, y, z) of the camera frame is seen at
//   f·d·(x/z, y/z) + (cx, cy),   d = 1 + k1·((x/z)² + (y/z)²).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace calfvo {

// Where a Camera's focal length comes from.
enum class CameraOrigin {
  kGuess,      // not observable: near the prior √(width · height)
  kGiven,      // by the user
  kEstimated,  // by refinement
};

// Intrinsics of square pixels and their standard deviations (0: not estimated).
struct Camera {
  int width = 0;   // pixels
  int height = 0;  // pixels
  double focal_px = 0.0;
  Eigen::Vector2d principal_point = Eigen::Vector2d::Zero();  // pixels; the centre is (width, height) / 2
  double k1 = 0.0;              // radial distortion; COLMAP's SIMPLE_RADIAL, OpenCV's k1
  double readout_frames = 0.0;  // rolling shutter: time from the first to the last row, in frame intervals

  double focal_sigma_px = 0.0;
  Eigen::Vector2d principal_point_sigma = Eigen::Vector2d::Zero();
  double k1_sigma = 0.0;
  double readout_sigma_frames = 0.0;
  CameraOrigin origin = CameraOrigin::kGuess;
};

// A triangulated point.
struct MapPoint {
  Eigen::Vector3d x_in_world = Eigen::Vector3d::Zero();  // metres, in the trajectory's world
  uint8_t rgb[3] = {128, 128, 128};
  int first_frame = 0;  // number of the pose that saw it first
  int views = 0;        // keyframes that observe it
};

// A place seen twice: the poses of two frames, linked by a verified loop closure.
struct LoopEdge {
  int first_frame = 0;
  int second_frame = 0;
  int inliers = 0;  // map points that both views agree on
};

}  // namespace calfvo
