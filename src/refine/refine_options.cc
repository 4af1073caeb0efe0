// SPDX-License-Identifier: Apache-2.0
#include "calfvo/refine.h"

#include <fmt/format.h>

#include "calfvo/error.h"

namespace calfvo {

void RefineOptions::Validate() const {
  if (focal_px && fov_deg) throw Error("focal length and field of view are both given: one expected");
  if (focal_px && !(*focal_px > 0.0))
    throw Error(fmt::format("focal length {} px: above 0 expected", *focal_px));
  if (fov_deg && !(*fov_deg > 0.0 && *fov_deg < 180.0)) {
    throw Error(fmt::format("field of view {}°: between 0 and 180 expected", *fov_deg));
  }
  if (camera_height_m && distance) throw Error("camera height and distance are both given: one expected");
  if (camera_height_m && !(*camera_height_m > 0.0 && *camera_height_m < 1e5)) {
    throw Error(fmt::format("camera height {} m: above 0 and below 100000 expected", *camera_height_m));
  }
  if (distance && !(distance->first_s >= 0.0 && distance->second_s > distance->first_s &&
                    distance->metres > 0.0 && distance->metres < 1e7)) {
    throw Error(
        fmt::format("distance {}:{}:{}: two increasing times from 0 s and a length above 0 m expected",
                    distance->first_s, distance->second_s, distance->metres));
  }
  if (!(focal_sigma >= 0.0)) throw Error(fmt::format("focal_sigma {}: 0 or more expected", focal_sigma));
}

}  // namespace calfvo
