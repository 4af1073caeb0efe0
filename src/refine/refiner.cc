// SPDX-License-Identifier: Apache-2.0
#include "refine/refiner.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string>
#include <utility>

#include "calfvo/error.h"
#include "core/geometry/so3.h"
#include "refine/camera_estimate.h"
#include "refine/feature_tracker.h"
#include "refine/keyframe_selector.h"
#include "refine/known_scale.h"
#include "refine/loop_closure.h"
#include "refine/loop_finder.h"
#include "refine/window.h"

namespace calfvo {
namespace {

// Keyframes per window; those at its end wait for the next; those fixed at its start give scale and
// structure.
struct Schedule {
  size_t window;
  size_t lag;
  size_t context;
};
constexpr Schedule kOffline{240, 40, 10};
constexpr Schedule kLive{16, 5, 6};

// Refined errors exceed what independent residuals imply: those of neighbouring frames are not. Measured on
// recordings and synthetic clips (docs/refine.md).
constexpr double kTranslationInflation = 1.5;
constexpr double kRotationInflation = 3.0;

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A point in the camera of the frame that saw it first.
struct AnchoredPoint {
  int64_t frame = 0;
  Eigen::Vector3d x_in_camera = Eigen::Vector3d::Zero();
  uint8_t gray = 0;
  int views = 0;
};

}  // namespace

bool CanRefine() {
  return true;
}

class Refiner::Impl {
 public:
  Impl(const RefineOptions& options, bool live, const EdgeCorrelation& correlation, RefinedSink sink)
      : options_(options),
        live_(live),
        schedule_(live ? kLive : kOffline),
        sink_(std::move(sink)),
        camera_(options),
        covariance_(correlation) {
    options.Validate();
    window_options_.correlation = correlation;
    if (live && (options.camera_height_m || options.distance)) {
      throw Error("a camera height or a distance needs the whole video: not for live runs");
    }
  }

  void Add(const FrameRecord& frame, const TrackedPose& pose) {
    const double start = ThreadSeconds();
    const GrayImage& image = *frame.gray;
    if (frames_ == 0) camera_.Start(frame);
    TrackedFrame& tracked = window_.emplace_back();
    tracked.frame = frames_++;
    tracked.edge = {pose.edge.first_from_second, pose.edge.sigma_rotation_rad, pose.edge.sigma_translation_m};
    tracked.observations = tracker_.Track(image, pose.edge.first_from_second.rotation,
                                          camera_.tracked_focal_px(), frame.mask.get());
    observations_ += static_cast<double>(tracked.observations.size());
    tracked.is_keyframe = selector_.IsKeyframe(tracked.observations, std::max(image.width, image.height));
    last_image_ = frame.gray;
    last_mask_ = frame.mask;
    pending_.push_back({frame, pose});
    pending_.back().first.gray = nullptr;
    pending_.back().first.mask = nullptr;
    if (tracked.is_keyframe) {
      ++summary_.keyframes;
      if (closes_loops()) loop_finder_.AddKeyframe(image, frame.mask.get());
      if (++window_keyframes_ >= schedule_.window) RefineOpenWindow(false);
    }
    summary_.seconds += ThreadSeconds() - start;
  }

  RefineSummary Finish() {
    const double start = ThreadSeconds();
    if (!window_.empty()) {
      if (!std::exchange(window_.back().is_keyframe, true)) {
        ++summary_.keyframes;
        if (closes_loops()) loop_finder_.AddKeyframe(*last_image_, last_mask_.get());
      }
      RefineOpenWindow(true);
    }
    if (closes_loops()) CloseLoopsOfVideo();
    FillSummary();
    ApplyKnownScale();
    for (const RefinedPose& pose : poses_) sink_(pose);
    summary_.seconds += ThreadSeconds() - start;
    return std::move(summary_);
  }

 private:
  bool closes_loops() const { return options_.loops && !live_; }

  void RefineOpenWindow(bool last) {
    std::vector<size_t> keyframes;  // their indices in window_
    for (size_t i = 0; i < window_.size(); ++i) {
      if (window_[i].is_keyframe) keyframes.push_back(i);
    }
    if (fixed_poses_.empty()) fixed_poses_ = {Rigid3()};
    if (keyframes.size() < 2) {
      EmitNetwork();
      return;
    }
    camera_.Prepare(window_options_);
    const RefinedWindow refined = RefineWindow(window_, fixed_poses_, window_options_);
    const size_t final_keyframe = keyframes.size() - 1 - (last ? 0 : schedule_.lag);
    const std::vector<Rigid3> poses = Emit(refined, keyframes, final_keyframe);
    KeepPoints(refined, keyframes, final_keyframe);
    KeepCourse(refined, final_keyframe);
    if (summary_.camera_course.size() == 1) {
      if (std::string warning = camera_.CheckGiven(refined); !warning.empty()) {
        summary_.warnings.push_back(std::move(warning));
      }
    }
    camera_.Carry(refined, summary_.keyframes);

    for (; chain_.size() < static_cast<size_t>(emitted_);) {
      const TrackedFrame& frame = window_[chain_.size() - static_cast<size_t>(window_.front().frame)];
      chain_.push_back({frame.frame, frame.edge, {}, frame.is_keyframe});
    }
    const size_t first_kept = final_keyframe - std::min(final_keyframe, schedule_.context);
    fixed_poses_.clear();
    for (size_t k = first_kept; k <= final_keyframe; ++k) fixed_poses_.push_back(poses[keyframes[k]]);
    window_.erase(window_.begin(), window_.begin() + static_cast<ptrdiff_t>(keyframes[first_kept]));
    window_keyframes_ = keyframes.size() - first_kept;
    keyframes_before_ += first_kept;
  }

  // Blends and composes the edges up to `final_keyframe`; returns the poses of the window's frames up to
  // there.
  std::vector<Rigid3> Emit(const RefinedWindow& refined, const std::vector<size_t>& keyframes,
                           size_t final_keyframe) {
    std::vector<Rigid3> poses = {fixed_poses_.front()};
    size_t k = 0;  // the keyframe before frame i
    for (size_t i = 0; i <= keyframes[final_keyframe]; ++i) {
      EdgeWeight weight;
      FusedEdge edge;
      const bool is_new = window_[i].frame >= emitted_;
      if (i > 0) {
        if (i > keyframes[k + 1]) ++k;
        weight = refined.weights[k];
        const Rigid3 change = refined.poses[i - 1].Inverse() * refined.poses[i];
        edge.first_from_second = Blend(window_[i].edge.first_from_second, change, weight);
        // Earlier windows handed out the frames up to the last fixed keyframe.
        poses.push_back(is_new ? poses.back() * edge.first_from_second : refined.poses[i]);
        const Matrix6& covariance = refined.posterior.edges[k];
        const double frames = static_cast<double>(keyframes[k + 1] - keyframes[k]);
        const auto sigma = [&](double network, double share, double inflation, double variance) {
          return std::hypot((1.0 - share) * network,
                            share * inflation * std::sqrt(variance / (3.0 * frames)));
        };
        edge.sigma_translation_m = sigma(window_[i].edge.sigma_translation_m, weight.translation,
                                         kTranslationInflation, covariance.topLeftCorner<3, 3>().trace());
        edge.sigma_rotation_rad = sigma(window_[i].edge.sigma_rotation_rad, weight.rotation,
                                        kRotationInflation, covariance.bottomRightCorner<3, 3>().trace());
      }
      if (is_new) EmitPose(edge, weight);
    }
    return poses;
  }

  // The next pending frame, which `edge` leads to.
  void EmitPose(FusedEdge edge, const EdgeWeight& weight) {
    const auto [record, network] = std::move(pending_[static_cast<size_t>(emitted_ - first_pending_)]);
    RefinedPose out;
    out.frame = record;
    out.network_from_camera = network.world_from_camera;
    out.rotation_weight = weight.rotation;
    out.translation_weight = weight.translation;
    edge.windows = network.edge.windows;
    if (emitted_ > 0) {
      covariance_.Add(last_.world_from_camera, edge.first_from_second, edge.sigma_translation_m,
                      edge.sigma_rotation_rad);
      last_.covariance = covariance_.covariance();
      last_.world_from_camera = last_.world_from_camera * edge.first_from_second;
      last_.edge = edge;
      summary_.accepted_share += 0.5 * (weight.rotation + weight.translation);
    }
    last_.frame = emitted_++;
    out.pose = last_;
    if (live_) {
      sink_(out);
    } else {
      poses_.push_back(std::move(out));
    }
    if (emitted_ - first_pending_ > 256) {
      pending_.erase(pending_.begin(), pending_.begin() + (emitted_ - first_pending_));
      first_pending_ = emitted_;
    }
  }

  // A video too short to refine.
  void EmitNetwork() {
    for (const TrackedFrame& frame : window_) {
      if (frame.frame < emitted_) continue;
      const size_t at = static_cast<size_t>(frame.frame - first_pending_);
      EmitPose(pending_[at].second.edge, {});
    }
  }

  void KeepPoints(const RefinedWindow& refined, const std::vector<size_t>& keyframes, size_t final_keyframe) {
    const Adjustment& solved = refined.adjustment;
    for (const Track& track : solved.tracks) {
      const auto anchor = static_cast<size_t>(track.views.front().keyframe);
      const bool is_new = anchor >= (points_.empty() ? 0 : fixed_poses_.size() - 1) &&
                          anchor < std::max<size_t>(final_keyframe, 1);
      if (!is_new || track.views.size() < 3 || track.inverse_depth < 1e-3) continue;
      if (closes_loops()) {
        Track& global = tracks_.emplace_back(track);
        for (Track::View& view : global.views) view.keyframe += static_cast<int>(keyframes_before_);
      }
      AnchoredPoint& point = points_.emplace_back();
      point.frame = solved.keyframes[anchor].frame;
      point.x_in_camera =
          Unproject(solved.camera, track.views.front().pixel).homogeneous() / track.inverse_depth;
      point.views = static_cast<int>(track.views.size());
      const std::vector<Observation>& seen = window_[keyframes[anchor]].observations;
      const auto found = std::lower_bound(seen.begin(), seen.end(), track.id,
                                          [](const Observation& o, int64_t id) { return o.track < id; });
      if (found != seen.end() && found->track == track.id) point.gray = found->gray;
    }
  }

  void KeepCourse(const RefinedWindow& refined, size_t final_keyframe) {
    const Adjustment& solved = refined.adjustment;
    std::vector<std::vector<double>> errors(solved.keyframes.size());
    for (const Track& track : solved.tracks) {
      for (size_t v = 1; v < track.views.size(); ++v) {
        errors[static_cast<size_t>(track.views[v].keyframe)].push_back(
            ViewError(solved, track, track.views[v]));
      }
    }
    for (size_t k = 0; k <= final_keyframe; ++k) {
      if (!summary_.keyframe_course.empty() &&
          solved.keyframes[k].frame <= summary_.keyframe_course.back().frame)
        continue;
      KeyframeCourse& course = summary_.keyframe_course.emplace_back();
      course.frame = solved.keyframes[k].frame;
      course.tracks = static_cast<int>(errors[k].size());
      if (errors[k].empty()) continue;
      const auto middle = errors[k].begin() + static_cast<ptrdiff_t>(errors[k].size() / 2);
      std::nth_element(errors[k].begin(), middle, errors[k].end());
      course.residual_px = *middle;
    }
    const double focal = camera_.input_focal_px(solved.camera);
    summary_.camera_course.push_back(
        {solved.keyframes.back().frame, focal, focal * refined.camera.sigma_log_focal});
  }

  // Scales the path and the map to the height or distance that the user gave.
  void ApplyKnownScale() {
    if ((!options_.camera_height_m && !options_.distance) || poses_.empty()) return;
    std::vector<Rigid3> poses;
    std::vector<double> times_s;
    for (const RefinedPose& pose : poses_) {
      poses.push_back(pose.pose.world_from_camera);
      times_s.push_back(1e-9 *
                        static_cast<double>(pose.frame.timestamp_ns - poses_.front().frame.timestamp_ns));
    }
    const KnownScale known = FindKnownScale(options_, poses, times_s, summary_.points);
    if (!known.warning.empty()) summary_.warnings.push_back(known.warning);
    summary_.scale = known.scale;
    summary_.scale_sigma = known.sigma;
    for (RefinedPose& refined : poses_) {
      TrackedPose& pose = refined.pose;
      pose.world_from_camera.translation *= known.scale;
      pose.covariance.topRows<3>() *= known.scale;
      pose.covariance.leftCols<3>() *= known.scale;
      pose.edge.first_from_second.translation *= known.scale;
      pose.edge.sigma_translation_m *= known.scale;
    }
    for (MapPoint& point : summary_.points) point.x_in_world *= known.scale;
  }

  // Corrects the poses of all frames where places were seen twice.
  void CloseLoopsOfVideo() {
    std::vector<Rigid3> keyframe_poses;
    std::vector<size_t> keyframes;
    for (size_t i = 0; i < chain_.size(); ++i) {
      if (!chain_[i].is_keyframe) continue;
      keyframes.push_back(i);
      keyframe_poses.push_back(poses_[i].pose.world_from_camera);
    }
    if (keyframes.size() < 2) return;
    camera_.Prepare(window_options_);
    Adjustment all = BuildAdjustment(chain_, keyframe_poses, window_options_);
    for (Keyframe& keyframe : all.keyframes) keyframe.fixed = false;
    all.tracks = std::move(tracks_);
    const std::vector<Loop> loops = loop_finder_.Find(all.keyframes, all.camera, all.image_height);
    if (loops.empty()) return;
    AdjustOptions options{.prior = camera_.prior(), .trust = window_options_.trust};
    if (all.camera[kK1] == 0.0) options.prior.sigma[kK1] = 0.0;
    CloseLoops(loops, options, all);
    for (const Loop& loop : loops) {
      summary_.loops.push_back({static_cast<int>(keyframes[static_cast<size_t>(loop.first)]),
                                static_cast<int>(keyframes[static_cast<size_t>(loop.second)]),
                                static_cast<int>(loop.matches.size())});
    }
    camera_.Replace(all.camera);
    std::vector<Keyframe> frames(chain_.size());
    for (size_t i = 1; i < chain_.size(); ++i)
      chain_[i].edge.first_from_second = poses_[i].pose.edge.first_from_second;
    for (size_t k = 0; k < keyframes.size(); ++k)
      frames[keyframes[k]].world_from_camera = all.keyframes[k].world_from_camera;
    for (size_t k = 1; k < keyframes.size(); ++k) BendChain(chain_, keyframes[k - 1], keyframes[k], frames);
    for (size_t i = 0; i < chain_.size(); ++i) {
      TrackedPose& pose = poses_[i].pose;
      pose.world_from_camera = frames[i].world_from_camera;
      if (i > 0) {
        pose.edge.first_from_second = poses_[i - 1].pose.world_from_camera.Inverse() * pose.world_from_camera;
      }
    }
  }

  void FillSummary() {
    if (frames_ > 1) summary_.accepted_share /= static_cast<double>(frames_ - 1);
    if (frames_ > 0) summary_.tracks_per_frame = observations_ / static_cast<double>(frames_);
    summary_.camera = camera_.Result();
    for (const AnchoredPoint& point : points_) {
      if (live_) break;
      MapPoint& out = summary_.points.emplace_back();
      out.x_in_world = poses_[static_cast<size_t>(point.frame)].pose.world_from_camera * point.x_in_camera;
      std::fill_n(out.rgb, 3, point.gray);
      out.first_frame = static_cast<int>(point.frame);
      out.views = point.views;
    }
  }

  const RefineOptions options_;
  const bool live_;
  const Schedule schedule_;
  const RefinedSink sink_;
  FeatureTracker tracker_;
  KeyframeSelector selector_;
  WindowOptions window_options_;
  CameraEstimate camera_;

  int64_t frames_ = 0;  // added
  double observations_ = 0.0;
  std::vector<TrackedFrame> window_;  // open: from the first fixed keyframe on
  size_t window_keyframes_ = 0;
  std::vector<Rigid3> fixed_poses_;                           // of the window's first keyframes
  std::vector<std::pair<FrameRecord, TrackedPose>> pending_;  // from frame first_pending_ on
  int64_t first_pending_ = 0;
  int64_t emitted_ = 0;  // frames
  TrackedPose last_;
  CovarianceChain covariance_;
  std::vector<RefinedPose> poses_;  // offline: all
  std::vector<AnchoredPoint> points_;

  // For loops: all frames without observations, tracks with keyframes numbered over the whole video.
  LoopFinder loop_finder_;
  std::shared_ptr<const GrayImage> last_image_;
  std::shared_ptr<const GrayImage> last_mask_;
  std::vector<TrackedFrame> chain_;
  std::vector<Track> tracks_;
  size_t keyframes_before_ = 0;  // the window's first keyframe
  RefineSummary summary_;
};

Refiner::Refiner(const RefineOptions& options, bool live, const EdgeCorrelation& correlation,
                 RefinedSink sink)
    : impl_(std::make_unique<Impl>(options, live, correlation, std::move(sink))) {}
Refiner::~Refiner() = default;

void Refiner::Add(const FrameRecord& frame, const TrackedPose& pose) {
  impl_->Add(frame, pose);
}

RefineSummary Refiner::Finish() {
  return impl_->Finish();
}

}  // namespace calfvo
