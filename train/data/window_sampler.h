// SPDX-License-Identifier: Apache-2.0
// Which windows of recorded sequences a batch is made of: the paper's sampling (supplement, "Data sampling").
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "calfvo/geometry.h"

namespace calfvo::train {

// A set of sequences that are sampled alike.
struct StreamOptions {
  std::string name;
  double share = 1.0;  // of the windows, relative to the other streams'
  int min_stride = 1;  // frames from one of a window to its next, drawn per window
  int max_stride = 5;
  // Windows that move further than this between two of their frames are discarded: wrong poses.
  double max_step_m = std::numeric_limits<double>::infinity();

  void Validate() const;  // throws Error naming stream and field
};

struct WindowChoice {
  int stream = 0;
  int sequence = 0;   // of the stream
  int64_t start = 0;  // the first frame
  int stride = 1;
};

// Draws a stream by share, one of its sequences, a stride that fits into it, and a start, all evenly;
// discarded windows are drawn again from the same stream. A choice follows from seed, step and window alone.
class WindowSampler {
 public:
  // `poses` [stream][sequence] are those that may be used, and windows have `frames` frames. Sequences too
  // short for a window are never drawn; a stream without others throws Error.
  WindowSampler(std::vector<StreamOptions> streams, std::vector<std::vector<std::vector<Rigid3>>> poses,
                int frames);

  // Throws Error where a stream has hardly a window without too large a step.
  WindowChoice Draw(uint64_t seed, int64_t step, int window) const;

  // Camera i from camera i + 1 of the window's frames, i < frames − 1.
  std::vector<Rigid3> RelativePoses(const WindowChoice& choice) const;

 private:
  bool StepsAreSmall(const WindowChoice& choice) const;

  const std::vector<StreamOptions> streams_;
  const std::vector<std::vector<std::vector<Rigid3>>> poses_;
  std::vector<std::vector<int>> long_enough_;  // [stream] sequences
  const int frames_;
};

}  // namespace calfvo::train
