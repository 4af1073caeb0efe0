// SPDX-License-Identifier: Apache-2.0
// Statistics of frame-to-frame camera motion, to compare generated with real motion. For tests only.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/portable/vec3.h"
#include "synth/motion/real_segment.h"

namespace calfvo::motion {

// The motions camera_prev_from_camera_next of one clip, in time order.
using MotionClip = std::vector<portable::Pose>;

inline constexpr std::array<double, 6> kQuantileLevels = {0.05, 0.25, 0.50, 0.75, 0.95, 0.99};

struct MotionStatistics {
  // Over the frames of all clips, at kQuantileLevels.
  std::array<double, 6> translation_m{};
  std::array<double, 6> rotation_deg{};
  // Lag-1 autocorrelation of the translation and of the rotation vector, as vectors in camera axes. With v
  // the difference from the clip's mean, Σ vᵢ·vᵢ₊₁ / Σ |vᵢ|² within a clip, averaged over clips.
  double translation_autocorrelation = 0.0;
  double rotation_autocorrelation = 0.0;
  // Mean of |t| along each axis of the camera, metres per frame.
  std::array<double, 3> mean_abs_translation_m{};
};

// The motions of recorded paths, one clip per path.
std::vector<MotionClip> RecordedClips(const RealPathsView& view);

// Clips shorter than two motions add nothing; without any motion all figures are zero.
MotionStatistics MeasureMotion(const std::vector<MotionClip>& clips);

// One line: quantiles of translation, quantiles of rotation, the two autocorrelations.
std::string FormatStatistics(const MotionStatistics& statistics);

}  // namespace calfvo::motion
