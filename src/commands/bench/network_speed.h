// SPDX-License-Identifier: Apache-2.0
// The speed of a network on a backend, live and offline.
#pragma once

#include <string>
#include <vector>

#include "vo/network_estimator.h"

namespace calfvo {

struct SpeedOptions {
  int overlap = 5;       // frames that consecutive windows share, 1 … K − 1
  int windows = 16;      // per offline iteration
  double seconds = 5.0;  // to measure each schedule for
  bool quiet = false;    // no progress bar

  // Throws Error naming the option, for windows of `window` frames.
  void Validate(int window) const;
};

// Steps of one schedule: some new frames are encoded, then the windows that they complete are decoded.
struct ScheduleSpeed {
  std::string name;     // "live", "stream" or "offline"
  int windows = 0;      // per step
  int frames = 0;       // new ones per step
  int steps = 0;        // that were timed
  double median_s = 0;  // of a step
  double p95_s = 0;     // of a step: 95 of 100 take no longer

  double frames_per_s() const { return frames / median_s; }
};

// Live: one window after every K − overlap frames, as soon as they are there, and its estimates are waited
// for. Stream: the same, but the next frames are encoded while a device works on the window. Offline:
// `windows` at once, and the next frames beside them. Some steps warm up; then steps are timed by the wall
// clock, from images in host memory to estimates, for options.seconds and at least once. `estimator` starts
// a new video for each schedule. Throws Error.
std::vector<ScheduleSpeed> MeasureSpeed(NetworkEstimator& estimator, const SpeedOptions& options);

// The live schedule on the CPU in one precision.
struct PrecisionSpeed {
  std::string precision;
  std::string backend;  // as it describes itself
  ScheduleSpeed live;
  double peak = 0;  // operations per second that this precision's products reach without memory access
};

// For each precision that this CPU computes in, for options.seconds each. Throws Error.
std::vector<PrecisionSpeed> MeasurePrecisions(const ModelFile& model, int threads,
                                              const SpeedOptions& options);

// The value that a share of `share` of the values does not exceed (nearest rank); `values` is not empty.
double Quantile(std::vector<double> values, double share);

}  // namespace calfvo
