// SPDX-License-Identifier: Apache-2.0
#include "vo/pose_estimate.h"

#include "core/geometry/so3.h"

namespace calfvo {
namespace {

// The 95 % quantile of χ² with 6 degrees of freedom.
constexpr double kStaticQuantile = 12.592;

bool IsStatic(const FusedEdge& edge) {
  const double translation = edge.first_from_second.translation.norm() / edge.sigma_translation_m;
  const double rotation = LogSO3(edge.first_from_second.rotation).norm() / edge.sigma_rotation_rad;
  return translation * translation + rotation * rotation < kStaticQuantile;
}

}  // namespace

PoseEstimate ToPoseEstimate(const FrameRecord& frame, const TrackedPose& tracked, bool has_confidence) {
  PoseEstimate pose{.timestamp_ns = frame.timestamp_ns,
                    .world_from_camera = tracked.world_from_camera,
                    .previous_from_current = tracked.edge.first_from_second,
                    .windows = tracked.edge.windows,
                    .frames_dropped_before = frame.dropped_before,
                    .damage = frame.damage};
  if (!has_confidence || tracked.edge.windows == 0) return pose;
  pose.covariance = tracked.covariance;
  const double variance_translation = tracked.edge.sigma_translation_m * tracked.edge.sigma_translation_m;
  const double variance_rotation = tracked.edge.sigma_rotation_rad * tracked.edge.sigma_rotation_rad;
  pose.relative_covariance.diagonal().head<3>().setConstant(variance_translation);
  pose.relative_covariance.diagonal().tail<3>().setConstant(variance_rotation);
  pose.is_static = IsStatic(tracked.edge);
  return pose;
}

}  // namespace calfvo
