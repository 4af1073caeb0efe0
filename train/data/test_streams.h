// SPDX-License-Identifier: Apache-2.0
// The paper's sampling, as its supplement gives it. Included by tests only.
#pragma once

#include <vector>

#include "data/window_sampler.h"

namespace calfvo::train {

// TartanAir v2, ScanNet, KITTI and Virtual KITTI.
inline std::vector<StreamOptions> PaperStreams() {
  return {{.name = "tartanair-v2", .share = 36, .max_stride = 5},
          {.name = "scannet", .share = 32, .max_stride = 5, .max_step_m = 1.5},
          {.name = "kitti", .share = 16, .max_stride = 2},
          {.name = "virtual-kitti", .share = 16, .max_stride = 2}};
}

}  // namespace calfvo::train
