// SPDX-License-Identifier: Apache-2.0
// Which frames become keyframes.
#pragma once

#include <vector>

#include "refine/tracks.h"

namespace calfvo {

struct KeyframeOptions {
  double flow = 0.045;       // median displacement since the last keyframe, of the image's longer side
  double tracks_left = 0.6;  // share of the last keyframe's tracks
  int max_frames = 12;       // between keyframes
};

class KeyframeSelector {
 public:
  explicit KeyframeSelector(const KeyframeOptions& options = {}) : options_(options) {}

  // Whether the next frame is a keyframe; the first is. `observations` are sorted by track.
  bool IsKeyframe(const std::vector<Observation>& observations, int longer_side);

 private:
  const KeyframeOptions options_;
  bool started_ = false;
  int frames_since_ = 0;
  std::vector<Observation> last_;  // of the last keyframe
};

}  // namespace calfvo
