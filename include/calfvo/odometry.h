// SPDX-License-Identifier: Apache-2.0
// From images to poses.
//
//   const calfvo::Trajectory path = calfvo::EstimateTrajectory("holiday.mp4");
//
// or, image by image:
//
//   calfvo::Odometry odometry;
//   while (camera.Read(image))
//     for (const calfvo::PoseEstimate& pose : odometry.AddFrame(image, now_ns)) Use(pose);
//   for (const calfvo::PoseEstimate& pose : odometry.Flush()) Use(pose);
//
// AddFrame computes for tens of milliseconds. calfvo/async_odometry.h has a front that does not block.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calfvo/error.h"
#include "calfvo/frames.h"
#include "calfvo/geometry.h"
#include "calfvo/image.h"
#include "calfvo/model.h"
#include "calfvo/trajectory.h"

namespace calfvo {

// Windows of an Odometry.
struct OdometryOptions {
  int overlap = 5;    // frames shared by consecutive windows; more is slower and more accurate
  bool flip = false;  // horizontal-flip test-time augmentation: half the speed, lower error

  // Throws Error naming the invalid option, for a model of Model::window_frames() = `window`.
  void Validate(int window) const;
};

// Pose, uncertainty and health of one image.
struct PoseEstimate {
  int64_t timestamp_ns = 0;
  Rigid3 world_from_camera = {};  // the world is the first camera; metres

  // As Trajectory::covariances: the accumulated covariance of all relative poses, to first order, with the
  // correlation of neighbouring errors stored in the model file. A constant scale error is not captured by
  // this model, so covariances underestimate it (docs/run.md). Invalid once a rotation's σ approaches one
  // radian. Zero if the model estimates no uncertainty (Model::has_confidence).
  Matrix6 covariance = Matrix6::Zero();

  // The relative pose (R, t) to the image before, and the covariance of its errors (ε_t, ε_R):
  // t_true = t + ε_t, metres along the axes of the previous camera; R_true = R·Exp(ε_R), radians about the
  // axes of this camera. Diagonal and isotropic. Filters and pose graphs should use these: covariances of
  // poses accumulate. Identity and zero for the first image.
  Rigid3 previous_from_current = {};
  Matrix6 relative_covariance = Matrix6::Zero();

  // Health of the relative pose.
  int windows = 0;                // that estimated it and were fused; 0 for the first image
  int frames_dropped_before = 0;  // camera frames lost between the previous image and this one
  std::string damage = {};        // Frame::damage; empty for images that a program adds
  // Whether the motion cannot be distinguished from none: the squared Mahalanobis distance of the relative
  // pose from the identity is below 12.6, the 95 % quantile of χ² with 6 degrees of freedom. False without
  // uncertainty, and for the first image.
  bool is_static = false;

  // From Odometry::EstimateNewest: not final.
  bool is_provisional = false;
};

// One video at a time, one image after the other. Every image gets its pose, at most latency_frames()
// images later; the poses are those of EstimateTrajectory to the bit.
//
// Threads: one thread at a time per object; different objects are independent, also if they share a model.
// Errors: throws Error or std::bad_alloc. An image or a time that AddFrame rejects leaves the object
// unchanged. After any other exception the video has ended without its last poses, as after Reset, and the
// next AddFrame begins a new one. A moved-from object can only be destroyed or assigned to.
class Odometry {
 public:
  // With a Model of its own, calfvo-s with default options.
  explicit Odometry(const OdometryOptions& options = {});
  // Shares `model`.
  explicit Odometry(const Model& model, const OdometryOptions& options = {});
  ~Odometry();
  Odometry(Odometry&&) noexcept;
  Odometry& operator=(Odometry&&) noexcept;

  // Adds an image and returns the poses that became final: none, one or a few, in order. Timestamps must
  // increase; their spacing does not affect poses. Throws Error for a timestamp that does not increase or an
  // invalid image. The first image's aspect ratio is used for the whole video.
  //
  // Blocks until the network has finished. An image that completes a window, one in 8 − overlap for windows
  // of 8, takes several times as long as the others: do not call this on a camera's capture thread.
  std::vector<PoseEstimate> AddFrame(const ImageView& image, int64_t timestamp_ns);

  // The provisional pose of the image added last: the pose that Flush would give it now. Computes one more
  // window, which ends at that image, unless AddFrame has just done so; final poses do not change. While the
  // video is shorter than a window, images are also repeated to fill it. Nothing before the first image.
  std::optional<PoseEstimate> EstimateNewest();

  // Ends the video and returns the poses of the last images. The next AddFrame begins a new video.
  std::vector<PoseEstimate> Flush();

  // Ends the video without computing its last poses. The next AddFrame begins a new video.
  void Reset();

  // The largest number of images between AddFrame and the return of its pose.
  int latency_frames() const;
  const Model& model() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Frames that EstimateTrajectory uses, and its callback.
struct EstimateOptions {
  FrameOptions frames = {};
  OdometryOptions odometry = {};

  // Called with each pose, in order, from the calling thread. Its exceptions leave EstimateTrajectory, even
  // while a camera or a pipe delivers no frames.
  std::function<void(const PoseEstimate& pose)> on_pose = nullptr;
};

// Estimates the trajectory of any input that FrameReader takes. Returns one pose per frame, with covariances
// if the model estimates uncertainty. If `options.frames.stop` is set, estimates the frames read so far.
// Throws Error, also if there are no frames, or std::bad_alloc.
Trajectory EstimateTrajectory(const std::string& input, const EstimateOptions& options = {});
// The same with a model that has been loaded.
Trajectory EstimateTrajectory(const Model& model, const std::string& input,
                              const EstimateOptions& options = {});

}  // namespace calfvo
