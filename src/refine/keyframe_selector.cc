// SPDX-License-Identifier: Apache-2.0
#include "refine/keyframe_selector.h"

#include <algorithm>

namespace calfvo {

bool KeyframeSelector::IsKeyframe(const std::vector<Observation>& observations, int longer_side) {
  ++frames_since_;
  std::vector<float> flows;
  auto before = last_.begin();
  for (const Observation& now : observations) {
    while (before != last_.end() && before->track < now.track) ++before;
    if (before != last_.end() && before->track == now.track)
      flows.push_back((now.pixel - before->pixel).norm());
  }
  double median = 0.0;
  if (!flows.empty()) {
    const auto middle = flows.begin() + static_cast<ptrdiff_t>(flows.size() / 2);
    std::nth_element(flows.begin(), middle, flows.end());
    median = *middle;
  }
  const bool is_keyframe =
      !started_ || median > options_.flow * longer_side ||
      static_cast<double>(flows.size()) < options_.tracks_left * static_cast<double>(last_.size()) ||
      frames_since_ >= options_.max_frames;
  if (!is_keyframe) return false;
  started_ = true;
  frames_since_ = 0;
  last_ = observations;
  return true;
}

}  // namespace calfvo
