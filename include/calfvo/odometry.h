// SPDX-License-Identifier: Apache-2.0
// From pictures to poses.
//
//   const calfvo::Trajectory path = calfvo::EstimateTrajectory("holiday.mp4");
//
// or, live:
//
//   calfvo::Odometry odometry;
//   while (camera.Read(picture))
//     for (const calfvo::PoseEstimate& pose : odometry.Push(picture, now_ns)) Use(pose);
//   for (const calfvo::PoseEstimate& pose : odometry.Flush()) Use(pose);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calfvo/error.h"
#include "calfvo/geometry.h"
#include "calfvo/trajectory.h"

namespace calfvo {

struct OdometryOptions {
  // A model file, or the name of one that came with calfvo.
  std::string model = "calfvo-s";
  std::string backend = "auto";    // "cpu", "cuda", "ref", or "auto": cuda where it works, else cpu
  std::string precision = "auto";  // "auto", "f32", "bf16" or "fp8", as the backend has it
  int threads = 0;                 // at most 1024; 0: one per core that may be used. No pose depends on it.
  int overlap = 5;                 // frames that consecutive windows share; more is slower and better
  bool mirror = false;             // look at pictures in a mirror, too: half as fast and better (docs/run.md)
};

// Borrowed pixels: RGB (OpenCV's are BGR), 8 bits each, rows from the top.
struct Picture {
  const uint8_t* rgb = nullptr;
  int width = 0;
  int height = 0;
  ptrdiff_t stride = 0;       // bytes from one row to the next; 0 means 3 × width
  double pixel_aspect = 1.0;  // a pixel's width over its height, when displayed; 1 / 16 to 16
};

struct PoseEstimate {
  int64_t timestamp_ns = 0;
  Rigid3 world_from_camera = {};  // the world is the first camera; metres

  // As Trajectory::covariances: what the errors of all steps so far add up to, to first order, with the
  // correlation of neighbouring steps that the model's file tells. Errors that last longer, such as a scale
  // that is wrong throughout, are told too small (docs/run.md). Means nothing once the angles' deviations
  // come near one radian. Zero for a model without confidence (Odometry::has_confidence), which is not to say
  // that it is sure.
  Matrix6 covariance = Matrix6::Zero();

  // The step from the pose before, before.world_from_camera.Inverse() * world_from_camera = (R, t), has
  // errors t_true = t + ε_t, along the axes of the camera before, and R_true = R·Exp(ε_R), about this
  // camera's axes: their standard deviations, the same for each axis, and how many windows had a say. It is
  // steps, not poses, that a filter or a pose graph should be given (docs/run.md).
  double sigma_translation_m = 0.0;
  double sigma_rotation_rad = 0.0;
  int windows = 0;
};

// One video at a time, one picture after the other. Every picture gets its pose, at most latency_frames()
// pictures later; the poses are those of EstimateTrajectory to the bit.
//
// An Odometry may be used by one thread at a time; different ones are independent. It works with threads of
// its own while Push or Flush runs. Throws Error, and nothing else but std::bad_alloc. A picture or a time
// that Push refuses leaves everything as it was; after anything else that Push or Flush throws, make a new
// one. One that was moved from can be destroyed or assigned to, and nothing else.
class Odometry {
 public:
  explicit Odometry(const OdometryOptions& options = {});
  ~Odometry();
  Odometry(Odometry&&) noexcept;
  Odometry& operator=(Odometry&&) noexcept;

  // Times must increase; what lies between them does not matter to the poses. Refuses, by Error, a time that
  // does not follow the one before, and a picture that is not as Picture says or over 16384 px a side. A
  // video's pictures should have one shape; the first one's is taken for all. Returns the poses that became
  // final: none, one or a few, in order.
  //
  // Returns when the network has done its work. A picture that completes a window, one in 8 − overlap with
  // windows of 8, takes several times as long as the others: do not call this from where a camera waits.
  std::vector<PoseEstimate> Push(const Picture& picture, int64_t timestamp_ns);

  // Ends the video and returns the poses of the last pictures. The next Push begins a new video.
  std::vector<PoseEstimate> Flush();

  int latency_frames() const;
  // What computes, for a log: "cpu bf16 (AVX-512), 2 threads".
  std::string backend() const;
  // Whether the model tells how sure it is. If not, covariances and standard deviations are zero.
  bool has_confidence() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

struct EstimateOptions {
  OdometryOptions odometry = {};
  // Instead of the input's own times, if not 0: frame i is at i / frames_per_second, exactly also for
  // 30000.0 / 1001. From 1.0 / 3600 to 1000. With 0, pictures without times count as 30 per second.
  double frames_per_second = 0.0;
  int stride = 1;        // take every how many frames one
  double start_s = 0.0;  // after the first frame
  std::optional<double> end_s = {};

  // Called after each pose with the number of poses so far, from the calling thread. What it throws comes out
  // of EstimateTrajectory, also while the input is a camera or a pipe that gives no frames.
  std::function<void(int64_t poses)> on_progress = nullptr;
  // Set from elsewhere to end early with what has been read; if that is nothing, Error says so.
  const std::atomic<bool>* stop = nullptr;
};

// The whole of a video file, a folder or glob of pictures, a camera (/dev/video0, until `stop`) or y4m on
// standard input ("-"), but not the program's dataset:PATH. One pose per frame, with covariances where the
// model has confidence. Throws Error, and nothing else but std::bad_alloc.
Trajectory EstimateTrajectory(const std::string& input, const EstimateOptions& options = {});

}  // namespace calfvo
