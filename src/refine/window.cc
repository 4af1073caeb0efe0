// SPDX-License-Identifier: Apache-2.0
#include "refine/window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/geometry/so3.h"

namespace calfvo {
namespace {

// The camera's motion per frame interval at frame i, from the edges around it.
void SetVelocities(std::span<const TrackedFrame> frames, size_t i, Keyframe& keyframe) {
  Eigen::Vector3d angular = Eigen::Vector3d::Zero();
  Eigen::Vector3d linear = Eigen::Vector3d::Zero();
  double edges = 0.0;
  if (i > 0) {
    const Rigid3& edge = frames[i].edge.first_from_second;
    angular += LogSO3(edge.rotation);
    linear += edge.rotation.conjugate() * edge.translation;
    ++edges;
  }
  if (i + 1 < frames.size()) {
    const Rigid3& edge = frames[i + 1].edge.first_from_second;
    angular += LogSO3(edge.rotation);
    linear += edge.translation;
    ++edges;
  }
  keyframe.angular_velocity = angular / std::max(edges, 1.0);
  keyframe.velocity = linear / std::max(edges, 1.0);
}

}  // namespace

Adjustment BuildAdjustment(std::span<const TrackedFrame> frames, std::span<const Rigid3> fixed_poses,
                           const WindowOptions& options) {
  Adjustment adjustment;
  adjustment.camera = options.prior.mean;
  adjustment.image_height = options.image_height;
  std::vector<NetworkEdge> edges;
  std::vector<size_t> counts;
  std::unordered_map<int64_t, size_t> track_index;
  Rigid3 pose;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (i > 0) {
      pose = pose * frames[i].edge.first_from_second;
      edges.push_back(frames[i].edge);
    }
    if (!frames[i].is_keyframe) continue;
    if (i > 0) counts.push_back(edges.size());
    const int keyframe_index = static_cast<int>(adjustment.keyframes.size());
    if (adjustment.keyframes.size() < fixed_poses.size()) pose = fixed_poses[adjustment.keyframes.size()];
    Keyframe& keyframe = adjustment.keyframes.emplace_back();
    keyframe.frame = frames[i].frame;
    keyframe.fixed = adjustment.keyframes.size() <= fixed_poses.size();
    keyframe.world_from_camera = pose;
    SetVelocities(frames, i, keyframe);
    for (const Observation& observation : frames[i].observations) {
      const auto [found, added] = track_index.emplace(observation.track, adjustment.tracks.size());
      if (added) adjustment.tracks.push_back({.id = observation.track});
      adjustment.tracks[found->second].views.push_back({keyframe_index, observation.pixel.cast<double>()});
    }
  }
  for (size_t i = counts.size(); i-- > 1;) counts[i] -= counts[i - 1];
  adjustment.edges = ComposeEdges(edges, counts, options.correlation);
  std::erase_if(adjustment.tracks, [](const Track& track) { return track.views.size() < 2; });
  return adjustment;
}

void BendChain(std::span<const TrackedFrame> frames, size_t begin, size_t end, std::vector<Keyframe>& poses) {
  const Rigid3 goal = poses[end].world_from_camera;
  std::vector<Rigid3> chain = {poses[begin].world_from_camera};
  for (size_t i = begin + 1; i <= end; ++i) chain.push_back(chain.back() * frames[i].edge.first_from_second);
  const Eigen::Vector3d turn = LogSO3(chain.back().rotation.conjugate() * goal.rotation);
  const Eigen::Vector3d miss = goal.translation - chain.back().translation;
  for (size_t i = begin + 1; i < end; ++i) {
    const double share = static_cast<double>(i - begin) / static_cast<double>(end - begin);
    const Rigid3& pose = chain[i - begin];
    poses[i].world_from_camera = {(pose.rotation * ExpSO3(share * turn)).normalized(),
                                  pose.translation + share * miss};
  }
}

namespace {

// The focal length that fits the tracks best with the network's poses: a start from which the adjustment
// converges.
void SearchFocal(Adjustment& adjustment, const CameraPrior& prior) {
  double best_cost = std::numeric_limits<double>::infinity();
  double best = adjustment.camera[kLogFocal];
  for (double log_focal = prior.mean[kLogFocal] - 0.8; log_focal <= prior.mean[kLogFocal] + 0.81;
       log_focal += 0.1) {
    adjustment.camera[kLogFocal] = log_focal;
    TriangulateTracks(adjustment);
    const double cost = ReprojectionLoss(adjustment, 2.0);
    if (cost < best_cost) {
      best_cost = cost;
      best = log_focal;
    }
  }
  adjustment.camera[kLogFocal] = best;
}

// Poses of all frames: those between keyframes follow from points, camera and keyframes as they are.
std::vector<Rigid3> RefineBetween(std::span<const TrackedFrame> frames, const Adjustment& solved,
                                  const WindowOptions& options) {
  Adjustment all;
  all.camera = solved.camera;
  all.image_height = solved.image_height;
  std::vector<NetworkEdge> edges;
  std::vector<int> index_of_keyframe;  // in `frames`
  for (size_t i = 0; i < frames.size(); ++i) {
    Keyframe& frame = all.keyframes.emplace_back();
    SetVelocities(frames, i, frame);
    if (i > 0) edges.push_back(frames[i].edge);
    if (!frames[i].is_keyframe) continue;
    frame.fixed = true;
    frame.world_from_camera = solved.keyframes[index_of_keyframe.size()].world_from_camera;
    index_of_keyframe.push_back(static_cast<int>(i));
  }
  all.edges = ComposeEdges(edges, std::vector<size_t>(edges.size(), 1), options.correlation);
  for (size_t k = 1; k < index_of_keyframe.size(); ++k) {
    BendChain(frames, static_cast<size_t>(index_of_keyframe[k - 1]),
              static_cast<size_t>(index_of_keyframe[k]), all.keyframes);
  }
  std::unordered_map<int64_t, size_t> track_index;
  for (const Track& track : solved.tracks) {
    track_index.emplace(track.id, all.tracks.size());
    Track& copy = all.tracks.emplace_back(Track{track.id, {track.views.front()}, track.inverse_depth});
    copy.views.front().keyframe = index_of_keyframe[static_cast<size_t>(track.views.front().keyframe)];
  }
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].is_keyframe) continue;
    for (const Observation& observation : frames[i].observations) {
      const auto found = track_index.find(observation.track);
      if (found == track_index.end()) continue;
      all.tracks[found->second].views.push_back({static_cast<int>(i), observation.pixel.cast<double>()});
    }
  }
  Adjust(all, {.prior = {}, .trust = options.trust, .max_iterations = 8, .fix_points = true});
  std::vector<Rigid3> poses;
  for (const Keyframe& frame : all.keyframes) poses.push_back(frame.world_from_camera);
  return poses;
}

// The part of an adjustment whose track numbers are even, or odd.
Adjustment HalfOf(const Adjustment& adjustment, int64_t parity) {
  Adjustment half = adjustment;
  std::erase_if(half.tracks, [parity](const Track& track) { return track.id % 2 != parity; });
  return half;
}

// Adds the losses of `left_out` tracks, with poses and camera of `solved`, to the edges they cross.
void AddLeftOut(const Adjustment& solved, const std::vector<Track>& left_out, double EdgeEvidence::*loss,
                std::vector<EdgeEvidence>& evidence) {
  Adjustment test{.keyframes = solved.keyframes,
                  .tracks = left_out,
                  .camera = solved.camera,
                  .image_height = solved.image_height};
  TriangulateTracks(test);
  for (const Track& track : test.tracks) {
    for (size_t v = 1; v < track.views.size(); ++v) {
      const double error = ViewError(test, track, track.views[v]);
      evidence[static_cast<size_t>(track.views[v].keyframe - 1)].*loss += 0.5 * std::log1p(error * error);
    }
  }
}

double MedianFlow(const Adjustment& adjustment, int keyframe) {
  std::vector<double> flows;
  for (const Track& track : adjustment.tracks) {
    for (size_t v = 1; v < track.views.size(); ++v) {
      if (track.views[v].keyframe == keyframe && track.views[v - 1].keyframe == keyframe - 1) {
        flows.push_back((track.views[v].pixel - track.views[v - 1].pixel).norm());
      }
    }
  }
  if (flows.empty()) return 0.0;
  const auto middle = flows.begin() + static_cast<ptrdiff_t>(flows.size() / 2);
  std::nth_element(flows.begin(), middle, flows.end());
  return *middle;
}

Rigid3 EdgeOf(const Adjustment& adjustment, size_t i) {
  return adjustment.keyframes[i].world_from_camera.Inverse() * adjustment.keyframes[i + 1].world_from_camera;
}

// The median ratio of the edges' lengths. Tracks do not determine the scale, so halves may differ in it.
double ScaleBetween(const Adjustment& a, const Adjustment& b) {
  std::vector<double> ratios;
  for (size_t i = 0; i + 1 < a.keyframes.size(); ++i) {
    const double length = EdgeOf(b, i).translation.norm();
    if (length > 0.0) ratios.push_back(EdgeOf(a, i).translation.norm() / length);
  }
  if (ratios.empty()) return 1.0;
  const auto middle = ratios.begin() + static_cast<ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

// Adjusts two halves of the tracks apart and compares.
void CollectEvidence(const Adjustment& network, const AdjustOptions& options, RefinedWindow& window) {
  const Adjustment& refined = window.adjustment;
  std::array<Adjustment, 2> halves = {HalfOf(refined, 0), HalfOf(refined, 1)};
  AdjustOptions half_options = options;
  half_options.max_iterations = 8;
  for (Adjustment& half : halves) Adjust(half, half_options);
  Adjustment by_network = refined;
  for (size_t i = 0; i < by_network.keyframes.size(); ++i) {
    by_network.keyframes[i].world_from_camera = network.keyframes[i].world_from_camera;
    by_network.keyframes[i].fixed = true;
  }
  half_options.max_iterations = 6;
  TriangulateTracks(by_network);
  Adjust(by_network, half_options);

  window.evidence.assign(refined.edges.size(), EdgeEvidence());
  for (size_t h = 0; h < 2; ++h) {
    const std::vector<Track>& left_out = halves[1 - h].tracks;
    AddLeftOut(halves[h], left_out, &EdgeEvidence::refined_loss, window.evidence);
    AddLeftOut(by_network, left_out, &EdgeEvidence::network_loss, window.evidence);
    for (const Track& track : left_out) {
      for (size_t v = 1; v < track.views.size(); ++v) {
        window.evidence[static_cast<size_t>(track.views[v].keyframe - 1)].left_out_views += 1.0;
      }
    }
  }
  const double b_scale = ScaleBetween(halves[0], halves[1]);
  for (size_t i = 0; i < window.evidence.size(); ++i) {
    EdgeEvidence& edge = window.evidence[i];
    const PriorEdge& prior = refined.edges[i];
    const Rigid3 a = EdgeOf(halves[0], i);
    const Rigid3 b = EdgeOf(halves[1], i);
    edge.halves_rotation = AngleBetween(a.rotation, b.rotation) / prior.sigma_rotation_rad;
    edge.halves_translation = (a.translation - b_scale * b.translation).norm() / prior.sigma_translation_m;
    edge.change_rotation = AngleBetween(EdgeOf(refined, i).rotation, prior.first_from_second.rotation) /
                           prior.sigma_rotation_rad;
    // A tenth of σ keeps the ratio finite where the camera stands.
    const double floor = 0.1 * prior.sigma_translation_m;
    edge.change_log_length = std::abs(std::log((EdgeOf(refined, i).translation.norm() + floor) /
                                               (prior.first_from_second.translation.norm() + floor)));
    edge.flow_px = MedianFlow(refined, static_cast<int>(i) + 1);
  }
  window.posterior = ComputePosterior(refined, options);
  window.camera.sigma_log_focal = std::sqrt(window.posterior.camera(kLogFocal, kLogFocal));
  window.camera.log_focal_over_network = refined.camera[kLogFocal] - by_network.camera[kLogFocal];
  window.weights = WeighEdges(window.evidence, window.camera, 2);
}

}  // namespace

RefinedWindow RefineWindow(std::span<const TrackedFrame> frames, std::span<const Rigid3> fixed_poses,
                           const WindowOptions& options) {
  RefinedWindow window;
  Adjustment& adjustment = window.adjustment;
  adjustment = BuildAdjustment(frames, fixed_poses, options);
  const Adjustment network = adjustment;
  if (options.search_focal) SearchFocal(adjustment, options.prior);
  TriangulateTracks(adjustment);
  AdjustOptions stage{.prior = options.prior, .trust = options.trust, .max_iterations = 8};
  if (options.try_distortion) stage.prior.sigma[kK1] = 0.0;
  stage.prior.sigma[kReadout] = 0.0;
  stage.loss_px = 4.0;
  Adjust(adjustment, stage);
  PruneTracks(adjustment, 12.0);
  stage.prior.sigma[kReadout] = options.prior.sigma[kReadout];
  stage.loss_px = 2.0;
  stage.max_iterations = 12;
  const double cost = Adjust(adjustment, stage);
  if (options.try_distortion && options.prior.sigma[kK1] > 0.0) {
    AdjustOptions with_k1 = stage;
    with_k1.prior.sigma[kK1] = options.prior.sigma[kK1];
    Adjustment distorted = adjustment;
    if (Adjust(distorted, with_k1) < 0.98 * cost) {
      adjustment = distorted;
      stage = with_k1;
    }
  }
  PruneTracks(adjustment, 6.0);
  stage.loss_px = 0.5;
  Adjust(adjustment, stage);
  PruneTracks(adjustment, 2.0);
  Adjust(adjustment, stage);
  if (fixed_poses.size() == 1) AnchorScale(adjustment);  // else the fixed keyframes determine the scale
  CollectEvidence(network, stage, window);
  window.poses = RefineBetween(frames, adjustment, options);
  return window;
}

}  // namespace calfvo
