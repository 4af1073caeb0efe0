// SPDX-License-Identifier: Apache-2.0
// How far refined relative poses replace the network's, edge by edge, by evidence.
//
// Tracks that were left out of an adjustment share its bias, so that they cannot vouch for it alone. The
// adjustment is therefore run on two disjoint halves of the tracks as well: where the halves disagree by as
// much as the network errs, the tracks determine little. Lengths far from the network's come from tracks that
// cannot separate rotation from translation.
#pragma once

#include <span>
#include <vector>

#include "calfvo/geometry.h"

namespace calfvo {

// Evidence about the edge between two consecutive keyframes.
struct EdgeEvidence {
  double halves_rotation = 0.0;     // disagreement of the two halves, in the network's σ
  double halves_translation = 0.0;  // the same for the translation
  double change_rotation = 0.0;     // refined against network, in the network's σ
  double change_log_length = 0.0;   // logarithm of the refined length over the network's, absolute
  double flow_px = 0.0;             // median displacement of the tracks
  double left_out_views = 0.0;      // views by tracks that an adjustment left out
  double refined_loss = 0.0;        // of these views, with refined poses
  double network_loss = 0.0;        // of these views, with the network's
};

// Evidence about the camera.
struct CameraEvidence {
  double sigma_log_focal = 0.0;
  double log_focal_over_network = 0.0;  // refined over the one that fits the network's poses
};

// Shares of the refined edge in the result, 0 to 1.
struct EdgeWeight {
  double rotation = 0.0;
  double rotation_gain = 0.0;  // for the part of the change that scales the network's rotation
  double translation = 0.0;
};

// Weights of consecutive edges. Evidence is averaged over neighbours within `radius` edges.
std::vector<EdgeWeight> WeighEdges(std::span<const EdgeEvidence> evidence, const CameraEvidence& camera,
                                   int radius);

// The relative pose from `network` towards `refined`.
Rigid3 Blend(const Rigid3& network, const Rigid3& refined, const EdgeWeight& weight);

}  // namespace calfvo
