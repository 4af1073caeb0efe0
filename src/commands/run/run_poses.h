// SPDX-License-Identifier: Apache-2.0
// All poses of a run, for what needs them at once: evaluation. About 400 bytes per pose.
#pragma once

#include <vector>

#include "calfvo/trajectory.h"
#include "core/trajectory/edge_record.h"
#include "vo/video_driver.h"

namespace calfvo {

struct RunPoses {
  Trajectory trajectory;
  std::vector<EdgeRecord> edges;  // one per pose

  void Add(const FrameRecord& frame, const TrackedPose& pose, bool has_confidence) {
    trajectory.timestamps_ns.push_back(frame.timestamp_ns);
    trajectory.world_from_camera.push_back(pose.world_from_camera);
    EdgeRecord& edge = edges.emplace_back();
    edge.windows = pose.edge.windows;
    edge.frame = frame.index;
    if (!has_confidence) return;
    trajectory.covariances.push_back(pose.covariance);
    edge.sigma_translation_m = pose.edge.sigma_translation_m;
    edge.sigma_rotation_rad = pose.edge.sigma_rotation_rad;
  }
};

}  // namespace calfvo
