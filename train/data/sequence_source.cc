// SPDX-License-Identifier: Apache-2.0
#include "data/sequence_source.h"

namespace calfvo::train {

std::vector<Rigid3> PosesUntilInvalid(const SequenceSource& source) {
  std::vector<Rigid3> poses;
  for (const SequenceFrame& frame : source.frames()) {
    if (!frame.world_from_camera) break;
    poses.push_back(*frame.world_from_camera);
  }
  return poses;
}

}  // namespace calfvo::train
