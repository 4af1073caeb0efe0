// SPDX-License-Identifier: Apache-2.0
#include "vo/tracker.h"

#include <fmt/format.h>

#include "calfvo/error.h"
#include "core/base/scoped_timer.h"
#include "core/geometry/covariance.h"

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

void Tracker::Add(std::span<const float* const> images, std::vector<TrackedPose>& poses) {
  if (images.empty()) return;
  {
    const ScopedTimer timer(times_.encode_s);
    estimator_.AddFrames(images);
  }
  if (frames_ == 0) poses.push_back(last_);
  frames_ += static_cast<int64_t>(images.size());

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
  if (!HasWindowAtEnd()) {
    begun_ = {frames_ - window_};
    BeginWindows();
    CollectWindows();
  }
  EmitEdges(frames - 1, poses);
}

TrackedPose Tracker::EstimateNewest() {
  const int64_t frames = frames_;
  std::vector<PairEstimate> newest;  // of the edges of a window that ends at the last frame
  int64_t first = frames;            // of that window
  if (frames > 1 && !HasWindowAtEnd()) {
    if (frames < window_) FillWindow();
    const ScopedTimer timer(times_.window_s);
    first = frames_ - window_;
    newest.resize(static_cast<size_t>(window_ - 1));
    estimator_.BeginEstimate({{first}});
    estimator_.FinishEstimate(newest);
    estimator_.RemoveRepeats(static_cast<int>(frames_ - frames));
    frames_ = frames;
  }
  const ScopedTimer timer(times_.fuse_s);
  TrackedPose pose = last_;
  CovarianceChain covariance = covariance_;
  std::vector<PairEstimate> estimates;
  for (int64_t edge = emitted_edges_; edge < frames - 1; ++edge) {
    const auto pending = static_cast<size_t>(edge - emitted_edges_);
    estimates.clear();
    if (pending < pending_.size()) estimates = pending_[pending];
    if (edge >= first) estimates.push_back(newest[static_cast<size_t>(edge - first)]);
    Follow(estimates, covariance, pose);
  }
  return pose;
}

void Tracker::Follow(std::span<const PairEstimate> estimates, CovarianceChain& covariance,
                     TrackedPose& last) {
  const FusedEdge edge = FuseEdge(estimates);
  covariance.Add(last.world_from_camera, edge.first_from_second, edge.sigma_translation_m,
                 edge.sigma_rotation_rad);
  last.covariance = covariance.covariance();
  last.world_from_camera = last.world_from_camera * edge.first_from_second;  // (11)
  last.edge = edge;
  ++last.frame;
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
    Follow(pending_.front(), covariance_, last_);
    pending_.pop_front();
    poses.push_back(last_);
  }
}

}  // namespace calfvo
