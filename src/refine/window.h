// SPDX-License-Identifier: Apache-2.0
// Refinement of one stretch of video: tracks and network poses in, poses, camera and points out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/geometry/covariance.h"
#include "refine/adjustment.h"
#include "refine/gate.h"
#include "refine/network_prior.h"
#include "refine/posterior.h"
#include "refine/tracks.h"

namespace calfvo {

// A frame with what is known before refinement.
struct TrackedFrame {
  int64_t frame = 0;
  NetworkEdge edge = {};  // from the frame before; not used for a window's first frame
  std::vector<Observation> observations = {};
  bool is_keyframe = false;
};

struct WindowOptions {
  double image_height = 0.0;  // of the tracked images, pixels
  CameraPrior prior = {};
  NetworkTrust trust = {};
  EdgeCorrelation correlation = {};
  bool search_focal = true;    // else adjustment starts at the prior's mean
  bool try_distortion = true;  // k1 is free only if that lowers the cost
};

struct RefinedWindow {
  Adjustment adjustment = {};      // of its keyframes, with camera and points
  std::vector<Rigid3> poses = {};  // of all frames
  Posterior posterior = {};
  CameraEvidence camera = {};
  std::vector<EdgeEvidence> evidence = {};  // per edge between keyframes
  std::vector<EdgeWeight> weights = {};     // the same
};

// The keyframes of `frames` with their tracks and prior edges. The first ones are at `fixed_poses` and fixed;
// the network's edges lead on from there.
Adjustment BuildAdjustment(std::span<const TrackedFrame> frames, std::span<const Rigid3> fixed_poses,
                           const WindowOptions& options);

// Sets the poses of the frames between `begin` and `end`: the edges of `frames` from begin on, bent to end at
// the pose of `end`.
void BendChain(std::span<const TrackedFrame> frames, size_t begin, size_t end, std::vector<Keyframe>& poses);

// Refines `frames`, the first and last of which are keyframes. The poses of the first keyframes are those of
// `fixed_poses`, at least one, and stay.
RefinedWindow RefineWindow(std::span<const TrackedFrame> frames, std::span<const Rigid3> fixed_poses,
                           const WindowOptions& options);

}  // namespace calfvo
