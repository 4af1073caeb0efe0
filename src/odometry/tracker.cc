// SPDX-License-Identifier: Apache-2.0
#include "odometry/tracker.h"

#include <fmt/format.h>

#include "base/scoped_timer.h"
#include "calfvo/error.h"
#include "geometry/covariance.h"

namespace calfvo {

void TrackerOptions::Validate(int window) const {
  if (overlap < 1 || overlap >= window) {
    throw Error(
        fmt::format("overlap is {}: windows of {} frames can share 1 to {}", overlap, window, window - 1));
  }
  if (max_batch < 1) throw Error(fmt::format("max_batch is {}: at least 1 expected", max_batch));
}

Tracker::Tracker(WindowEstimator& estimator, const TrackerOptions& options)
    : estimator_(estimator),
      window_(estimator.window()),
      advance_(estimator.window() - options.overlap),
      defer_(options.defer),
      covariance_(estimator.step_correlation()) {
  options.Validate(window_);
  estimator_.Start(window_ + advance_ + (defer_ ? 2 : 1) * options.max_batch);
}

void Tracker::Add(std::span<const float* const> pictures, std::vector<TrackedPose>& poses) {
  if (pictures.empty()) return;
  {
    const ScopedTimer timer(times_.encode_s);
    estimator_.AddFrames(pictures);
  }
  if (frames_ == 0) poses.push_back(last_);
  frames_ += static_cast<int64_t>(pictures.size());

  const auto collect = [&] {
    if (begun_.empty()) return;
    // A last window that ends at the last frame would start after this one, so it cannot hold edges up to its
    // start.
    const int64_t final_edges = begun_.back() + 1;
    CollectWindows();
    EmitEdges(final_edges, poses);
  };
  collect();
  for (; next_window_ + window_ <= frames_; next_window_ += advance_) begun_.push_back(next_window_);
  if (!begun_.empty()) BeginWindows();
  if (!defer_) collect();
}

void Tracker::Finish(std::vector<TrackedPose>& poses) {
  CollectWindows();
  const int64_t frames = frames_;
  if (frames < 2) return;
  if (frames < window_) FillWindow();
  const int64_t last_window = next_window_ - advance_;
  if (last_window < 0 || last_window + window_ < frames_) {
    begun_ = {frames_ - window_};
    BeginWindows();
    CollectWindows();
  }
  EmitEdges(frames - 1, poses);
}

void Tracker::FillWindow() {
  const ScopedTimer timer(times_.encode_s);
  for (; frames_ < window_; ++frames_) estimator_.RepeatFrame();
}

void Tracker::BeginWindows() {
  const ScopedTimer timer(times_.window_s);
  estimator_.BeginEstimate(begun_);
}

void Tracker::CollectWindows() {
  if (begun_.empty()) return;
  const ScopedTimer timer(times_.window_s);
  const auto edges = static_cast<size_t>(window_ - 1);
  std::vector<PairEstimate> estimates(begun_.size() * edges);
  estimator_.FinishEstimate(estimates);
  for (size_t w = 0; w < begun_.size(); ++w) {
    for (size_t i = 0; i < edges; ++i) {
      const size_t edge = static_cast<size_t>(begun_[w] - emitted_edges_) + i;
      if (edge >= pending_.size()) pending_.resize(edge + 1);
      pending_[edge].push_back(estimates[w * edges + i]);
    }
  }
  begun_.clear();
}

void Tracker::EmitEdges(int64_t end, std::vector<TrackedPose>& poses) {
  const ScopedTimer timer(times_.fuse_s);
  for (; emitted_edges_ < end; ++emitted_edges_) {
    const FusedEdge edge = FuseEdge(pending_.front());
    pending_.pop_front();
    covariance_.Add(last_.world_from_camera, edge.first_from_second, edge.sigma_translation_m,
                    edge.sigma_rotation_rad);
    last_.covariance = covariance_.covariance();
    last_.world_from_camera = last_.world_from_camera * edge.first_from_second;  // (11)
    last_.edge = edge;
    ++last_.frame;
    poses.push_back(last_);
  }
}

}  // namespace calfvo
