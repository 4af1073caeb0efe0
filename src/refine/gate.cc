// SPDX-License-Identifier: Apache-2.0
#include "refine/gate.h"

#include <algorithm>
#include <cmath>

#include "core/geometry/so3.h"

namespace calfvo {
namespace {

double Unit(double value) {
  return std::clamp(value, 0.0, 1.0);
}

// A product of several factors stays below 1 even where each speaks for refinement.
double Favour(double evidence) {
  return 1.0 - std::pow(1.0 - evidence, 1.3);
}

EdgeEvidence MeanEvidence(std::span<const EdgeEvidence> edges) {
  EdgeEvidence mean;
  double rotation = 0.0;
  double translation = 0.0;
  for (const EdgeEvidence& edge : edges) {
    rotation += edge.halves_rotation * edge.halves_rotation;
    translation += edge.halves_translation * edge.halves_translation;
    mean.change_rotation += edge.change_rotation;
    mean.change_log_length += edge.change_log_length;
    mean.flow_px += edge.flow_px;
    mean.left_out_views += edge.left_out_views;
    mean.refined_loss += edge.refined_loss;
    mean.network_loss += edge.network_loss;
  }
  const auto count = static_cast<double>(edges.size());
  mean.halves_rotation = std::sqrt(rotation / count);
  mean.halves_translation = std::sqrt(translation / count);
  mean.change_rotation /= count;
  mean.change_log_length /= count;
  mean.flow_px /= count;
  mean.left_out_views /= count;
  mean.refined_loss /= count;
  mean.network_loss /= count;
  return mean;
}

}  // namespace

std::vector<EdgeWeight> WeighEdges(std::span<const EdgeEvidence> evidence, const CameraEvidence& camera,
                                   int radius) {
  // A focal length far from the one that the network's rotations imply comes from tracks that fit something
  // else.
  const double plausible = std::exp(-std::pow(camera.log_focal_over_network / 0.25, 2));
  const double observable = Unit((0.10 - camera.sigma_log_focal) / 0.05);
  const double same_focal = std::exp(-std::pow(camera.log_focal_over_network / 0.13, 2));
  std::vector<EdgeWeight> weights;
  for (size_t i = 0; i < evidence.size(); ++i) {
    const size_t begin = i - std::min(i, static_cast<size_t>(radius));
    const size_t end = std::min(i + static_cast<size_t>(radius) + 1, evidence.size());
    const EdgeEvidence edge = MeanEvidence(evidence.subspan(begin, end - begin));
    EdgeWeight& weight = weights.emplace_back();
    if (edge.left_out_views < 10.0 || edge.flow_px < 0.7 || !(edge.network_loss > 0.0)) continue;
    const double n = edge.left_out_views;
    // A loss beyond that of a tracker's noise comes from what the model lacks: a lens, things that move.
    const double explained = Unit((0.45 - edge.refined_loss / n) / 0.25);
    const double valid = plausible * explained * Unit((10.0 - edge.change_rotation) / 5.0) *
                         Unit((1.1 - edge.refined_loss / edge.network_loss) / 0.1) * n / (n + 10.0);
    weight.rotation = Favour(valid * observable / (1.0 + edge.halves_rotation * edge.halves_rotation));
    weight.rotation_gain = weight.rotation * same_focal;
    weight.translation = Favour(valid * std::exp(-0.7 * edge.change_log_length * edge.change_log_length) *
                                Unit(1.0 - 0.05 * edge.halves_translation * edge.halves_translation));
  }
  return weights;
}

Rigid3 Blend(const Rigid3& network, const Rigid3& refined, const EdgeWeight& weight) {
  const Eigen::Vector3d change = LogSO3(network.rotation.conjugate() * refined.rotation);
  const Eigen::Vector3d turn = LogSO3(network.rotation);
  const double square = turn.squaredNorm();
  const Eigen::Vector3d along = square > 0.0 ? Eigen::Vector3d(turn * (turn.dot(change) / square)) : turn;
  const Eigen::Vector3d blended = weight.rotation * (change - along) + weight.rotation_gain * along;
  return {(network.rotation * ExpSO3(blended)).normalized(),
          network.translation + weight.translation * (refined.translation - network.translation)};
}

}  // namespace calfvo
