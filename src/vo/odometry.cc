// SPDX-License-Identifier: Apache-2.0
#include "calfvo/odometry.h"

#include <fmt/format.h>

#include <type_traits>

#include "core/image/image_view.h"
#include "io/video/frame_reader.h"
#include "vo/network_estimator.h"
#include "vo/pipeline.h"
#include "vo/pose_estimate.h"

namespace calfvo {

void OdometryOptions::Validate(int window) const {
  TrackerOptions{.overlap = overlap}.Validate(window);
}

class Odometry::Impl {
 public:
  Impl(const Model& model, const OdometryOptions& options)
      : model_(Checked(model, options)),
        overlap_(options.overlap),
        estimator_(SharedNetwork::Of(model), options.flip),
        input_(estimator_.ImageMemory(1)) {}

  std::vector<PoseEstimate> AddFrame(const ImageView& image, int64_t timestamp_ns) {
    const ImageView view = CheckedImage(image);
    if (last_time_ns_ && timestamp_ns <= *last_time_ns_) {
      throw Error(fmt::format("timestamp {} ns does not follow {} ns: times must increase", timestamp_ns,
                              *last_time_ns_));
    }
    return OrReset([&] {
      if (!driver_) driver_.emplace(estimator_, TrackerOptions{.overlap = overlap_, .max_batch = 1});
      estimator_.PrepareImage(view, input_);
      last_time_ns_ = timestamp_ns;
      driver_->Add({{.timestamp_ns = timestamp_ns,
                     .width = view.width,
                     .height = view.height,
                     .width_over_height = view.pixel_aspect * view.width / view.height}},
                   {{input_}});
      return Take();
    });
  }

  std::optional<PoseEstimate> EstimateNewest() {
    if (!driver_) return std::nullopt;
    return OrReset([&]() -> std::optional<PoseEstimate> {
      const auto newest = driver_->EstimateNewest();
      if (!newest) return std::nullopt;
      PoseEstimate pose = ToPoseEstimate(newest->first, newest->second, estimator_.has_confidence());
      pose.is_provisional = true;
      return pose;
    });
  }

  std::vector<PoseEstimate> Flush() {
    if (!driver_) return {};
    std::vector<PoseEstimate> poses = OrReset([&] {
      driver_->Finish();
      return Take();
    });
    Reset();
    return poses;
  }

  void Reset() {
    driver_.reset();
    last_time_ns_.reset();
  }

  int latency_frames() const { return Tracker::LatencyFrames(model_.window_frames(), overlap_); }
  const Model& model() const { return model_; }

 private:
  static const Model& Checked(const Model& model, const OdometryOptions& options) {
    options.Validate(model.window_frames());
    return model;
  }

  // What `compute` throws ends the video: part of it may have been done.
  template <typename Compute>
  std::invoke_result_t<Compute> OrReset(const Compute& compute) {
    try {
      return compute();
    } catch (...) {
      Reset();
      throw;
    }
  }

  std::vector<PoseEstimate> Take() {
    std::vector<PoseEstimate> poses;
    driver_->TakePoses([&](const FrameRecord& frame, const TrackedPose& tracked) {
      poses.push_back(ToPoseEstimate(frame, tracked, estimator_.has_confidence()));
    });
    return poses;
  }

  const Model model_;
  const int overlap_;
  NetworkEstimator estimator_;
  float* const input_;
  std::optional<VideoDriver> driver_;  // of the current video
  std::optional<int64_t> last_time_ns_;
};

Odometry::Odometry(const OdometryOptions& options) : Odometry(Model(), options) {}
Odometry::Odometry(const Model& model, const OdometryOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
Odometry::~Odometry() = default;
Odometry::Odometry(Odometry&&) noexcept = default;
Odometry& Odometry::operator=(Odometry&&) noexcept = default;

std::vector<PoseEstimate> Odometry::AddFrame(const ImageView& image, int64_t timestamp_ns) {
  return impl_->AddFrame(image, timestamp_ns);
}

std::optional<PoseEstimate> Odometry::EstimateNewest() {
  return impl_->EstimateNewest();
}

std::vector<PoseEstimate> Odometry::Flush() {
  return impl_->Flush();
}

void Odometry::Reset() {
  impl_->Reset();
}

int Odometry::latency_frames() const {
  return impl_->latency_frames();
}

const Model& Odometry::model() const {
  return impl_->model();
}

Trajectory EstimateTrajectory(const std::string& input, const EstimateOptions& options) {
  return EstimateTrajectory(Model(), input, options);
}

Trajectory EstimateTrajectory(const Model& model, const std::string& input, const EstimateOptions& options) {
  const SourceOptions source_options = ToSourceOptions(options.frames);
  options.odometry.Validate(model.window_frames());
  NetworkEstimator estimator(SharedNetwork::Of(model), options.odometry.flip);
  const std::unique_ptr<FrameSource> source = OpenFrames(input, source_options);
  Trajectory trajectory;
  const PipelineResult result = RunPipeline(
      *source, estimator,
      {.overlap = options.odometry.overlap, .batch = estimator.video_batch(), .stop = options.frames.stop},
      [&](const FrameRecord& frame, const TrackedPose& pose) {
        trajectory.timestamps_ns.push_back(frame.timestamp_ns);
        trajectory.world_from_camera.push_back(pose.world_from_camera);
        if (estimator.has_confidence()) trajectory.covariances.push_back(pose.covariance);
        if (options.on_pose) options.on_pose(ToPoseEstimate(frame, pose, estimator.has_confidence()));
      });
  if (result.failure) std::rethrow_exception(result.failure);
  if (trajectory.empty()) {
    throw Error(fmt::format("{}: {}", input, result.interrupted ? kStoppedBeforeAnyFrame : "no frames"));
  }
  return trajectory;
}

}  // namespace calfvo
