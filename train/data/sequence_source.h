// SPDX-License-Identifier: Apache-2.0
// Recorded video with the poses of its camera: what a loader of a dataset implements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calfvo/geometry.h"
#include "frames/frame.h"

namespace calfvo::train {

struct SequenceFrame {
  int64_t timestamp_ns = 0;
  std::optional<Rigid3> world_from_camera;  // metres; nothing where the dataset has no valid pose
  // What tells this picture from others, for caches: its file with size and time, say.
  std::string picture;
};

class SequenceSource {
 public:
  virtual ~SequenceSource() = default;

  // For messages and for the names of cache files.
  virtual const std::string& name() const = 0;

  // In order of time.
  virtual const std::vector<SequenceFrame>& frames() const = 0;

  // The picture of a frame, in its own size: fills size and pixels of `picture`, reusing its memory. Throws
  // Error naming the file. May be called from several threads at once.
  virtual void Read(int64_t index, Frame& picture) const = 0;
};

// The poses up to the first frame without one: training uses nothing after it, as the paper does.
std::vector<Rigid3> PosesUntilInvalid(const SequenceSource& source);

}  // namespace calfvo::train
