// SPDX-License-Identifier: Apache-2.0
// The relative pose of two frames as training wants it, for host and GPU.
#pragma once

#include "synth/scene/posed_frame.h"

namespace calfvo::train {

// Camera `first` from camera `second`, at the middles of their exposures: rotation [9] row by row, and
// translation [3] in metres.
CALFVO_HD void WriteRelativePose(const PosedFrame& first, const PosedFrame& second, float* rotation,
                                 float* translation) {
  const portable::Pose& a = first.world_from_camera;
  const portable::Pose& b = second.world_from_camera;
  const portable::Mat3 a_from_world = Transposed(a.rotation);
  const portable::Mat3 r = a_from_world * b.rotation;
  const portable::Vec3 t = a_from_world * (b.translation - a.translation);
  const portable::Vec3 columns[3] = {r.x, r.y, r.z};
  for (int c = 0; c < 3; ++c) {
    rotation[c] = columns[c].x;
    rotation[3 + c] = columns[c].y;
    rotation[6 + c] = columns[c].z;
  }
  translation[0] = t.x;
  translation[1] = t.y;
  translation[2] = t.z;
}

}  // namespace calfvo::train
