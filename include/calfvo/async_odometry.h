// SPDX-License-Identifier: Apache-2.0
// Odometry for a camera's capture thread: AddFrame copies the image and returns; a thread of the object
// computes.
//
//   calfvo::AsyncOdometry odometry(calfvo::Model(), {}, {.on_pose = [](const calfvo::PoseEstimate& pose) { …
//   }}); while (camera.Read(image)) odometry.AddFrame(image, now_ns); odometry.Flush();
//
// Policy when the camera is faster than the network: while `queue` images wait, AddFrame drops the new one.
// The next image that is accepted reports how many were lost before it (PoseEstimate::frames_dropped_before).
// A frame that was accepted is never dropped, so that every pose arrives, in order.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "calfvo/odometry.h"

namespace calfvo {

// Queue and callbacks of an AsyncOdometry. Callbacks run on its thread, one at a time. They must not call its
// Flush, Reset or destructor. What they throw is reported as an error of the odometry.
struct AsyncOptions {
  int queue = 4;  // images that may wait, 1 to 1024

  // Receives the final poses, in order. If empty, Poll returns them.
  std::function<void(const PoseEstimate& pose)> on_pose = nullptr;
  // Receives the provisional pose of each image (Odometry::EstimateNewest) for which none is waiting behind
  // it. If empty, none is computed.
  std::function<void(const PoseEstimate& pose)> on_newest = nullptr;

  // Throws Error naming the invalid option.
  void Validate() const;
};

// What happened since the object was made.
struct AsyncStatistics {
  int64_t accepted = 0;   // images
  int64_t dropped = 0;    // images, by the policy above
  int64_t estimated = 0;  // images that the network has seen
};

// Threads: every function may be called from several threads; timestamps must still increase in the order of
// the calls. Errors of the estimating thread, an exception of the network or of a callback, end the video as
// Odometry::Reset does, discard the images that wait, and are thrown by the next call of Poll or Flush; the
// next image begins a new video. The destructor ends the video without its last poses.
class AsyncOdometry {
 public:
  explicit AsyncOdometry(const Model& model, const OdometryOptions& odometry = {},
                         const AsyncOptions& options = {});
  ~AsyncOdometry();
  AsyncOdometry(AsyncOdometry&&) noexcept;
  AsyncOdometry& operator=(AsyncOdometry&&) noexcept;

  // Copies the image, and returns whether it was accepted. Never waits for the network, unless another thread
  // is in Flush or Reset. Throws Error for an
  // image or a time that Odometry::AddFrame would reject, std::bad_alloc for an image larger than those
  // before.
  bool AddFrame(const ImageView& image, int64_t timestamp_ns);

  // The final poses since the last call, in order; always none with on_pose.
  std::vector<PoseEstimate> Poll();

  // Waits until all images have been estimated, ends the video and returns the poses that Poll would: with
  // on_pose, none, after it has been called for the last. The next AddFrame begins a new video.
  std::vector<PoseEstimate> Flush();

  // Ends the video without computing the poses of images that wait. Waits for the one in the network.
  void Reset();

  AsyncStatistics statistics() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace calfvo
