// SPDX-License-Identifier: Apache-2.0
// Tables for rotary position embedding (docs/network.md).
#pragma once

#include <span>

#include "nn/backend/backend.h"

namespace calfvo {

// CroCo's: integer positions on a side × side grid, the y half of a head before the x half.
Rope MakeGridRope(Backend& backend, int side, int head_size, double base);

// DINOv3's: coordinates in (−1, 1) over the given periods, after `skip` tokens without rotation.
Rope MakePeriodRope(Backend& backend, int side, std::span<const float> periods, int skip);

}  // namespace calfvo
