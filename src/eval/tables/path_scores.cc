// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/path_scores.h"

#include <cmath>

#include "core/geometry/so3.h"
#include "eval/metrics/baselines.h"

namespace calfvo {
PathScores ScorePath(const Trajectory& reference, const Trajectory& estimate) {
  const Evaluation as_is = Evaluate(reference, estimate, {.alignment = Alignment::kOrigin});
  const Evaluation aligned = Evaluate(reference, estimate, {.alignment = Alignment::kSim3});
  return {.t_rel = as_is.t_rel_m,
          .r_rel = as_is.r_rel_deg,
          .ate = as_is.ate_as_is.rmse,
          .are = as_is.are_as_is_deg.rmse,
          .t_rel_aligned = aligned.t_rel_m,
          .ate_aligned = aligned.ape_trans.rmse,
          .are_aligned = aligned.ape_rot.rmse,
          .scale = as_is.fitted_scale};
}

Trajectory ZeroMotion(const Trajectory& reference) {
  Trajectory path{.timestamps_ns = reference.timestamps_ns};
  path.world_from_camera.assign(reference.size(), Rigid3());
  return path;
}

Trajectory ConstantMotion(const Trajectory& reference) {
  const std::vector<Rigid3>& poses = reference.world_from_camera;
  EdgeMotions edges;
  for (size_t i = 0; i + 1 < poses.size(); ++i) edges.Add(poses[i].Inverse() * poses[i + 1]);
  const Rigid3 motion = BestConstantMotion(edges);
  Trajectory path{.timestamps_ns = reference.timestamps_ns, .world_from_camera = {Rigid3()}};
  while (path.size() < reference.size()) {
    path.world_from_camera.push_back(path.world_from_camera.back() * motion);
  }
  return path;
}

std::optional<EdgeError> ErrorOfEdge(std::span<const std::optional<Rigid3>> truth,
                                     std::span<const Rigid3> estimate, size_t i) {
  if (!truth[i - 1] || !truth[i]) return {};
  const Rigid3 true_motion = truth[i - 1]->Inverse() * *truth[i];
  const Rigid3 motion = estimate[i - 1].Inverse() * estimate[i];
  return EdgeError{LogSO3(motion.rotation.conjugate() * true_motion.rotation),
                   true_motion.translation - motion.translation};
}

EdgeCalibration CalibrateEdges(std::span<const std::optional<Rigid3>> truth, std::span<const Rigid3> estimate,
                               std::span<const EdgeRecord> edges) {
  CoverageCounter rotation, translation;
  for (size_t i = 1; i < truth.size(); ++i) {
    const auto error = ErrorOfEdge(truth, estimate, i);
    if (!error || std::isnan(edges[i].sigma_rotation_rad)) continue;
    rotation.Add(error->rotation_rad, edges[i].sigma_rotation_rad);
    translation.Add(error->translation_m, edges[i].sigma_translation_m);
  }
  return {rotation.Shares(), translation.Shares()};
}

double EstimatesPerPair(std::span<const EdgeRecord> edges) {
  if (edges.size() < 2) return kUnknown;
  double sum = 0.0;
  for (const EdgeRecord& edge : edges.subspan(1)) sum += edge.windows;
  return sum / static_cast<double>(edges.size() - 1);
}

}  // namespace calfvo
