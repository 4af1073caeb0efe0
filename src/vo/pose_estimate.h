// SPDX-License-Identifier: Apache-2.0
// Tracked poses as the public API returns them.
#pragma once

#include "calfvo/odometry.h"
#include "vo/video_driver.h"

namespace calfvo {

// Without `has_confidence`, covariances are zero.
PoseEstimate ToPoseEstimate(const FrameRecord& frame, const TrackedPose& tracked, bool has_confidence);

}  // namespace calfvo
