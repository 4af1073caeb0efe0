// SPDX-License-Identifier: Apache-2.0
// The network's relative poses as priors of an adjustment.
//
// The network is trusted differently in rotation, direction of travel and length: errors of the length last
// for many frames, so that lengths enter as logarithms, apart from directions. A translation prior on the
// vector would shrink paths. Consecutive errors are correlated and whitened along the chain.
#pragma once

#include <ceres/cost_function.h>

#include <memory>
#include <span>
#include <vector>

#include "calfvo/geometry.h"
#include "core/geometry/covariance.h"
#include "refine/tracks.h"

namespace calfvo {

// A relative pose between consecutive frames, as the network's windows fused it.
struct NetworkEdge {
  Rigid3 first_from_second = {};
  double sigma_rotation_rad = 0.0;   // per axis
  double sigma_translation_m = 0.0;  // per axis
};

// The relative pose between two keyframes: composed edges.
struct PriorEdge {
  Rigid3 first_from_second = {};
  double sigma_rotation_rad = 0.0;
  double sigma_translation_m = 0.0;
  EdgeCorrelation with_previous = {};  // of its errors with those of the prior edge before
};

// How far the adjustment trusts the network. Factors on the network's standard deviations.
struct NetworkTrust {
  double rotation = 3.1;
  double length = 3.0;
  double direction = 2.0;
  double gain_sigma = 0.08;  // of one factor on all rotation angles: the camera's field of view misjudged
};

// Composes `edges`, split into consecutive groups of `counts` edges each. σ and correlations follow from the
// model's correlation of neighbouring edges.
std::vector<PriorEdge> ComposeEdges(std::span<const NetworkEdge> edges, std::span<const size_t> counts,
                                    const EdgeCorrelation& correlation);

// The whitened error of `edge` between keyframes `first` and `second`: 3 rotation, 1 log-length, 3 direction.
// Parameters: corrections of first and second, rotation gain. With `before` (the prior edge that ends at
// `first`, starting at `zeroth`): corrections of zeroth, first and second, rotation gain.
// All but `trust` is borrowed for the life of the cost.
std::unique_ptr<ceres::CostFunction> MakeNetworkPrior(const Keyframe& first, const Keyframe& second,
                                                      const PriorEdge& edge, const NetworkTrust& trust);
std::unique_ptr<ceres::CostFunction> MakeNetworkPrior(const Keyframe& zeroth, const PriorEdge& before,
                                                      const Keyframe& first, const Keyframe& second,
                                                      const PriorEdge& edge, const NetworkTrust& trust);

}  // namespace calfvo
