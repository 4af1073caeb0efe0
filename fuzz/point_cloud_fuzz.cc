// SPDX-License-Identifier: Apache-2.0
// points.ply from anyone: as many points as the bytes hold, all of them finite.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "calfvo/error.h"
#include "core/trajectory/point_cloud.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    for (const calfvo::MapPoint& point :
         calfvo::ParsePoints({reinterpret_cast<const char*>(data), size}, "points.ply")) {
      if (!point.x_in_world.allFinite() || point.first_frame < 0 || point.views < 0) std::abort();
    }
  } catch (const calfvo::Error&) {
  }
  return 0;
}
