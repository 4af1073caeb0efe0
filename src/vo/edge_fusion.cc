// SPDX-License-Identifier: Apache-2.0
#include "vo/edge_fusion.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/geometry/rotation_mean.h"

namespace calfvo {
namespace {

// Equation (8). The least u is taken out first, so that no exponential overflows and one weight is large.
std::vector<double> Weights(std::span<const PairEstimate> estimates, double PairEstimate::*u) {
  double least = estimates.front().*u;
  for (const PairEstimate& estimate : estimates) least = std::min(least, estimate.*u);
  std::vector<double> weights;
  double sum = 0.0;
  for (const PairEstimate& estimate : estimates) {
    weights.push_back(std::exp(least - estimate.*u));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

double FusedSigma(std::span<const PairEstimate> estimates, double PairEstimate::*u,
                  std::span<const double> weights, double expected_error_per_sigma) {
  double variance = 0.0;
  for (size_t i = 0; i < estimates.size(); ++i) {
    const double sigma = std::exp(estimates[i].*u) / expected_error_per_sigma;
    variance += weights[i] * weights[i] * sigma * sigma;
  }
  return std::sqrt(variance);
}

}  // namespace

FusedEdge FuseEdge(std::span<const PairEstimate> estimates) {
  const std::vector<double> rotation_weights = Weights(estimates, &PairEstimate::u_rotation);
  const std::vector<double> translation_weights = Weights(estimates, &PairEstimate::u_translation);
  FusedEdge edge;
  edge.windows = static_cast<int>(estimates.size());

  std::vector<Quaternion> rotations;
  for (const PairEstimate& estimate : estimates) rotations.push_back(estimate.first_from_second.rotation);
  edge.first_from_second.rotation = ChordalMean(rotations, rotation_weights);  // (9)
  for (size_t i = 0; i < estimates.size(); ++i) {                              // (10)
    edge.first_from_second.translation += translation_weights[i] * estimates[i].first_from_second.translation;
  }

  static const double kTurnPerSigma = std::sqrt(8.0 / std::numbers::pi);
  static const double kL1PerSigma = 3.0 * std::sqrt(2.0 / std::numbers::pi);
  edge.sigma_rotation_rad = FusedSigma(estimates, &PairEstimate::u_rotation, rotation_weights, kTurnPerSigma);
  edge.sigma_translation_m =
      FusedSigma(estimates, &PairEstimate::u_translation, translation_weights, kL1PerSigma);
  return edge;
}

}  // namespace calfvo
