// SPDX-License-Identifier: Apache-2.0
#include "refine/adjustment.h"

#include <gtest/gtest.h>

#include <cmath>

#include "refine/reprojection.h"

namespace calfvo {
namespace {

// The error of exact tracks after an adjustment in which as many tracks of this noise are 4 px off.
double ErrorBesideShiftedTracks(double noise) {
  Adjustment adjustment;
  adjustment.camera = {std::log(500.0), 320.0, 240.0, 0.0, 0.0};
  adjustment.image_height = 480.0;
  adjustment.keyframes.push_back({.frame = 0, .fixed = true});
  adjustment.keyframes.push_back(
      {.frame = 1, .world_from_camera = {Quaternion::Identity(), {0.3, 0.0, 0.0}}});
  for (int i = 0; i < 100; ++i) {
    Track track{.id = i,
                .views = {{0, {64.0 * (i % 10) + 32.0, 48.0 * (i / 10) + 24.0}}, {1, {}}},
                .inverse_depth = 1.0 / (3.0 + i % 3)};
    Track::View& second = track.views.back();
    EXPECT_TRUE(PredictPixel({&adjustment.keyframes[0], &adjustment.keyframes[1], track.views.front().pixel,
                              second.pixel, adjustment.image_height},
                             kNoCorrection, kNoCorrection, track.inverse_depth, adjustment.camera,
                             second.pixel));
    adjustment.tracks.push_back(track);
    second.pixel.x() += 4.0;
    track.noise = noise;
    adjustment.tracks.push_back(track);
  }
  // A loss this wide is a square, and the camera is held.
  Adjust(adjustment, {.loss_px = 1e4, .max_iterations = 50, .fix_points = true});
  double sum = 0.0;
  for (size_t i = 0; i < adjustment.tracks.size(); i += 2) {
    sum += ViewError(adjustment, adjustment.tracks[i], adjustment.tracks[i].views.back());
  }
  return sum / 100.0;
}

TEST(Adjust, TracksWeighTheInverseSquareOfTheirNoise) {
  // No turn shifts all pixels by the same amount.
  EXPECT_NEAR(ErrorBesideShiftedTracks(1.0), 2.0, 0.05);
  EXPECT_NEAR(ErrorBesideShiftedTracks(4.0), 4.0 / (1.0 + 16.0), 0.01);
}

}  // namespace
}  // namespace calfvo
