// SPDX-License-Identifier: Apache-2.0
// Corners followed from frame to frame: pyramidal Lucas–Kanade, started where the network's rotation
// predicts.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/image/gray_image.h"
#include "refine/tracks.h"

namespace calfvo {

struct FeatureTrackerOptions {
  int max_corners = 300;
  double min_distance = 0.022;  // between corners, of the longer side
  double refill_below = 0.8;    // look for new corners when fewer than this share of max_corners is left
  int max_track_frames = 30;    // then a track ends and another begins at its place: Lucas–Kanade drifts
  double forward_backward_px = 0.5;
  double epipolar_px = 1.0;
};

// One thread at a time. Output depends on the images and rotations only.
class FeatureTracker {
 public:
  explicit FeatureTracker(const FeatureTrackerOptions& options = {});
  ~FeatureTracker();
  FeatureTracker(FeatureTracker&&) noexcept;
  FeatureTracker& operator=(FeatureTracker&&) noexcept;

  // Corners of the next image, sorted by track. `previous_from_current` is the network's rotation; `focal_px`
  // and the centre predict where corners move. Pixels where `mask`, if given, is 0 are ignored; it has the
  // image's size. An image of another size than the last starts anew.
  std::vector<Observation> Track(const GrayImage& image, const Quaternion& previous_from_current,
                                 double focal_px, const GrayImage* mask = nullptr);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace calfvo
