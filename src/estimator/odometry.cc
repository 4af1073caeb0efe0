// SPDX-License-Identifier: Apache-2.0
#include "calfvo/odometry.h"

#include <fmt/format.h>

#include <deque>
#include <optional>

#include "base/image_view.h"
#include "estimator/model_choice.h"
#include "estimator/network_estimator.h"
#include "odometry/pipeline.h"
#include "odometry/tracker.h"

namespace calfvo {
namespace {

ImageView CheckedView(const Picture& picture) {
  const ptrdiff_t row = ptrdiff_t{3} * picture.width;
  if (picture.rgb == nullptr) {
    throw Error(fmt::format("a picture of {}x{} without pixels: rgb is null", picture.width, picture.height));
  }
  if (picture.width < 1 || picture.height < 1 || picture.width > kMaxImageSide ||
      picture.height > kMaxImageSide || (picture.stride != 0 && picture.stride < row)) {
    throw Error(
        fmt::format("a picture of {}x{} with stride {}: sides of 1 to {} pixels and a stride of 3 x width or "
                    "more expected",
                    picture.width, picture.height, picture.stride, kMaxImageSide));
  }
  if (!IsPixelAspect(picture.pixel_aspect)) {
    throw Error(fmt::format("a picture of pixel aspect {}: 1 / {} to {} expected", picture.pixel_aspect,
                            kMaxPixelAspect, kMaxPixelAspect));
  }
  return {picture.width, picture.height, 3, picture.rgb, picture.stride == 0 ? row : picture.stride};
}

// Which has the weights in memory of its own: the file is closed again.
NetworkEstimator MakeEstimator(const OdometryOptions& options) {
  const ModelFile model = OpenModel(options.model).file;
  TrackerOptions{.overlap = options.overlap}.Validate(model.config.window);
  return {model, ChooseBackend(options.backend, options.precision), options.threads, options.mirror};
}

}  // namespace

class Odometry::Impl {
 public:
  explicit Impl(const OdometryOptions& options)
      : overlap_(options.overlap), estimator_(MakeEstimator(options)), input_(estimator_.PictureMemory(1)) {
    Begin();
  }

  std::vector<PoseEstimate> Push(const Picture& picture, int64_t timestamp_ns) {
    const ImageView view = CheckedView(picture);
    if (last_time_ns_ && timestamp_ns <= *last_time_ns_) {
      throw Error(fmt::format("timestamp {} ns does not follow {} ns: times must increase", timestamp_ns,
                              *last_time_ns_));
    }
    estimator_.PreparePicture(view, input_);
    if (!last_time_ns_) estimator_.SetPictureAspect(picture.pixel_aspect * view.width / view.height);
    times_ns_.push_back(timestamp_ns);
    last_time_ns_ = timestamp_ns;
    tracker_->Add({{input_}}, tracked_);
    return Take();
  }

  std::vector<PoseEstimate> Flush() {
    tracker_->Finish(tracked_);
    std::vector<PoseEstimate> poses = Take();
    Begin();
    return poses;
  }

  int latency_frames() const { return tracker_->latency_frames(); }
  std::string backend() const { return estimator_.backend().Description(); }
  bool has_confidence() const { return estimator_.has_confidence(); }

 private:
  void Begin() {
    tracker_.emplace(estimator_, TrackerOptions{.overlap = overlap_, .max_batch = 1});
    last_time_ns_.reset();
  }

  std::vector<PoseEstimate> Take() {
    std::vector<PoseEstimate> poses;
    for (const TrackedPose& pose : tracked_) {
      poses.push_back(
          {times_ns_.front(), pose.world_from_camera, Matrix6::Zero(), 0.0, 0.0, pose.edge.estimates});
      if (estimator_.has_confidence()) {
        poses.back().covariance = pose.covariance;
        poses.back().sigma_translation_m = pose.edge.sigma_translation_m;
        poses.back().sigma_rotation_rad = pose.edge.sigma_rotation_rad;
      }
      times_ns_.pop_front();
    }
    tracked_.clear();
    return poses;
  }

  const int overlap_;
  NetworkEstimator estimator_;
  float* const input_;
  std::optional<Tracker> tracker_;
  std::deque<int64_t> times_ns_;  // of pictures without a pose yet
  std::optional<int64_t> last_time_ns_;
  std::vector<TrackedPose> tracked_;
};

Odometry::Odometry(const OdometryOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Odometry::~Odometry() = default;
Odometry::Odometry(Odometry&&) noexcept = default;
Odometry& Odometry::operator=(Odometry&&) noexcept = default;

std::vector<PoseEstimate> Odometry::Push(const Picture& picture, int64_t timestamp_ns) {
  return impl_->Push(picture, timestamp_ns);
}
std::vector<PoseEstimate> Odometry::Flush() {
  return impl_->Flush();
}
int Odometry::latency_frames() const {
  return impl_->latency_frames();
}

std::string Odometry::backend() const {
  return impl_->backend();
}

bool Odometry::has_confidence() const {
  return impl_->has_confidence();
}

Trajectory EstimateTrajectory(const std::string& input, const EstimateOptions& options) {
  SourceOptions source_options{
      .stride = options.stride, .start_s = options.start_s, .end_s = options.end_s, .stop = options.stop};
  if (options.frames_per_second != 0.0) {
    source_options.rate = FrameRateFromHertz(options.frames_per_second);
  }
  NetworkEstimator estimator = MakeEstimator(options.odometry);
  const std::unique_ptr<FrameSource> source = OpenFrames(input, source_options);
  Trajectory trajectory;
  const PipelineResult result = RunPipeline(
      *source, estimator,
      {.overlap = options.odometry.overlap, .batch = estimator.video_batch(), .stop = options.stop},
      [&](const FrameRecord& frame, const TrackedPose& pose) {
        trajectory.timestamps_ns.push_back(frame.timestamp_ns);
        trajectory.world_from_camera.push_back(pose.world_from_camera);
        if (estimator.has_confidence()) trajectory.covariances.push_back(pose.covariance);
        if (options.on_progress) options.on_progress(static_cast<int64_t>(trajectory.size()));
      });
  if (result.failure) std::rethrow_exception(result.failure);
  if (trajectory.empty()) {
    throw Error(fmt::format("{}: {}", input, result.interrupted ? kStoppedBeforeAnyFrame : "no frames"));
  }
  return trajectory;
}

}  // namespace calfvo
