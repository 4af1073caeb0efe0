// SPDX-License-Identifier: Apache-2.0
// What distinguishes the kinds of motion: distributions, timings and habits, as measured on real recordings
// where there are any.
#pragma once

#include "motion/gaussian_process.h"
#include "motion/magnitude.h"
#include "motion/motion_kind.h"
#include "portable/host_device.h"
#include "portable/vec3.h"

namespace calfvo::motion {

struct MotionProfile {
  // Per frame at `table_hz`: metres, and degrees. For vehicles the second is of the turn about the vertical.
  MagnitudeTable translation;
  MagnitudeTable rotation;
  float table_hz = 30.0F;

  Timing translation_timing;
  Timing rotation_timing;
  // How much of the liveliness belongs to the clip rather than to the moment.
  float translation_clip_share = 0.3F;
  float rotation_clip_share = 0.3F;

  // Preferred directions: of travel, along right, down and ahead of the heading; of turning, about the
  // camera's x, y, z. `ahead` adds a steady wish to go where the camera looks.
  portable::Vec3 travel_axes{1.0F, 1.0F, 1.0F};
  portable::Vec3 turn_axes{1.0F, 1.0F, 1.0F};
  float ahead = 0.0F;
  // How long a change of the axis of turning takes, where mass or a simulator's filter resists it.
  float turn_inertia_s = 0.0F;

  // The camera looks down by a clip's own angle, and is pulled back when it tilts from there by about
  // `tilt_range_deg`. `lean` is how far it tilts into acceleration: 1 balances it, as a multicopter must.
  float look_down_deg = 0.0F;
  float look_down_spread_deg = 0.0F;
  float tilt_range_deg = 20.0F;
  float lean = 0.0F;

  // Pulled back to the height it started at beyond about this distance; to the starting point, if
  // `home_range_m` is positive.
  float height_range_m = 1.0F;
  float home_range_m = 0.0F;

  // Steps: vertical travel of the head from lowest to highest, drawn between these; none if zero.
  float min_bob_m = 0.0F;
  float max_bob_m = 0.0F;

  // Heights above ground at which such cameras are usual.
  float min_height_m = 1.0F;
  float max_height_m = 2.0F;

  bool is_vehicle = false;
};

CALFVO_HD MotionProfile ProfileOf(MotionKind kind) {
  MotionProfile p;
  switch (kind) {
    case MotionKind::kHandheld:
      p.translation = {{0.0F, 0.0015F, 0.0056F, 0.0085F, 0.0120F, 0.0199F, 0.0297F, 0.040F}};
      p.rotation = {{0.0F, 0.083F, 0.316F, 0.513F, 0.768F, 1.325F, 1.795F, 2.4F}};
      p.table_hz = 30.0F;
      p.translation_timing = {0.60F, 0.20F, 0.03F, 11.0F};
      p.rotation_timing = {0.42F, 0.26F, 0.04F, 5.0F};
      p.travel_axes = {1.2F, 0.6F, 1.0F};
      p.turn_axes = {0.55F, 1.0F, 0.6F};
      p.look_down_deg = 8.0F;
      p.look_down_spread_deg = 10.0F;
      p.tilt_range_deg = 20.0F;
      p.height_range_m = 0.4F;
      p.min_height_m = 1.1F;
      p.max_height_m = 1.8F;
      break;
    case MotionKind::kHeadMounted:
      p.translation = {{0.0F, 0.004F, 0.027F, 0.044F, 0.058F, 0.076F, 0.103F, 0.13F}};
      p.rotation = {{0.0F, 0.451F, 1.652F, 2.717F, 4.394F, 7.927F, 9.798F, 12.0F}};
      p.table_hz = 20.0F;
      p.translation_timing = {0.30F, 0.35F, 0.08F, 4.0F};
      p.rotation_timing = {0.40F, 0.06F, 0.08F, 4.0F};
      p.travel_axes = {1.0F, 0.5F, 1.0F};
      p.turn_axes = {0.7F, 1.0F, 0.6F};
      p.ahead = 0.3F;
      p.look_down_deg = 5.0F;
      p.look_down_spread_deg = 8.0F;
      p.tilt_range_deg = 25.0F;
      p.height_range_m = 0.25F;
      p.min_bob_m = 0.03F;
      p.max_bob_m = 0.05F;
      p.min_height_m = 1.5F;
      p.max_height_m = 1.8F;
      break;
    case MotionKind::kVehicle:
      p.translation = {{-0.08F, 0.32F, 0.70F, 0.95F, 1.18F, 1.50F, 2.66F, 3.0F}};
      p.rotation = {{0.0F, 0.01F, 0.06F, 0.22F, 0.62F, 2.60F, 3.50F, 4.0F}};
      p.table_hz = 10.0F;
      p.translation_timing = {5.0F, 0.0F, 0.2F, 0.0F};
      p.rotation_timing = {1.2F, 0.03F, 0.1F, 0.0F};
      p.translation_clip_share = 0.5F;
      p.rotation_clip_share = 0.1F;
      p.look_down_deg = 1.0F;
      p.look_down_spread_deg = 0.5F;
      p.tilt_range_deg = 3.0F;
      p.height_range_m = 0.1F;
      p.min_height_m = 1.2F;
      p.max_height_m = 2.2F;
      p.is_vehicle = true;
      break;
    case MotionKind::kDrone:
      p.translation = {{0.0F, 0.0001F, 0.016F, 0.028F, 0.047F, 0.083F, 0.122F, 0.14F}};
      p.rotation = {{0.0F, 0.022F, 0.282F, 0.638F, 1.371F, 2.965F, 4.335F, 5.0F}};
      p.table_hz = 20.0F;
      p.translation_timing = {0.9F, 0.0F, 0.1F, 0.0F};
      p.rotation_timing = {0.36F, 0.03F, 0.05F, 3.0F};
      p.translation_clip_share = 0.4F;
      p.rotation_clip_share = 0.5F;
      p.travel_axes = {1.0F, 0.6F, 1.0F};
      p.turn_axes = {0.6F, 1.0F, 0.6F};
      p.ahead = 0.3F;
      p.look_down_deg = 18.0F;
      p.look_down_spread_deg = 6.0F;
      p.tilt_range_deg = 14.0F;
      p.turn_inertia_s = 0.08F;
      p.lean = 1.0F;
      p.height_range_m = 1.5F;
      p.min_height_m = 0.8F;
      p.max_height_m = 4.0F;
      break;
    case MotionKind::kFastDrone:
      p.translation = {{0.0F, 0.029F, 0.116F, 0.166F, 0.228F, 0.341F, 0.384F, 0.42F}};
      p.rotation = {{0.0F, 0.175F, 0.840F, 1.553F, 2.412F, 4.141F, 6.436F, 8.0F}};
      p.table_hz = 30.0F;
      p.translation_timing = {1.2F, 0.0F, 0.1F, 0.0F};
      p.rotation_timing = {0.50F, 0.0F, 0.1F, 0.0F};
      p.translation_clip_share = 0.3F;
      p.travel_axes = {0.7F, 0.4F, 0.8F};
      p.turn_axes = {0.7F, 1.0F, 0.9F};
      p.ahead = 0.8F;
      p.look_down_deg = -15.0F;
      p.look_down_spread_deg = 8.0F;
      p.tilt_range_deg = 22.0F;
      p.turn_inertia_s = 0.10F;
      p.lean = 0.7F;
      p.height_range_m = 2.0F;
      p.min_height_m = 0.8F;
      p.max_height_m = 4.0F;
      break;
    case MotionKind::kFreeFlying:
      p.translation = {{0.0F, 0.017F, 0.100F, 0.213F, 0.349F, 0.473F, 0.494F, 0.50F}};
      p.rotation = {{0.0F, 0.194F, 0.602F, 1.123F, 1.826F, 2.874F, 3.430F, 3.8F}};
      p.table_hz = 10.0F;
      p.translation_timing = {1.2F, 0.0F, 0.1F, 0.0F};
      p.rotation_timing = {1.1F, 0.0F, 0.1F, 0.0F};
      p.travel_axes = {1.1F, 0.5F, 1.0F};
      p.turn_axes = {0.7F, 1.0F, 0.6F};
      p.turn_inertia_s = 0.3F;
      p.tilt_range_deg = 30.0F;
      p.look_down_spread_deg = 8.0F;
      p.height_range_m = 3.0F;
      p.min_height_m = 0.8F;
      p.max_height_m = 6.0F;
      break;
    case MotionKind::kWalking:
      p.translation = {{0.0F, 0.012F, 0.036F, 0.044F, 0.050F, 0.058F, 0.070F, 0.09F}};
      p.rotation = {{0.0F, 0.08F, 0.30F, 0.55F, 1.0F, 2.4F, 3.6F, 5.0F}};
      p.table_hz = 30.0F;
      p.translation_timing = {1.5F, 0.02F, 0.1F, 3.0F};
      p.rotation_timing = {0.4F, 0.05F, 0.05F, 4.0F};
      p.translation_clip_share = 0.5F;
      p.travel_axes = {0.25F, 0.05F, 0.5F};
      p.turn_axes = {0.4F, 1.0F, 0.4F};
      p.ahead = 1.2F;
      p.look_down_deg = 5.0F;
      p.look_down_spread_deg = 6.0F;
      p.tilt_range_deg = 12.0F;
      p.height_range_m = 0.12F;
      p.min_bob_m = 0.03F;
      p.max_bob_m = 0.05F;
      p.min_height_m = 1.3F;
      p.max_height_m = 1.8F;
      break;
    case MotionKind::kStatic:
      p.translation = {{0.0F, 0.0F, 0.00001F, 0.00003F, 0.00006F, 0.00015F, 0.0003F, 0.0005F}};
      p.rotation = {{0.0F, 0.0005F, 0.002F, 0.004F, 0.008F, 0.02F, 0.04F, 0.06F}};
      p.table_hz = 30.0F;
      p.translation_timing = {0.1F, 0.4F, 0.05F, 8.0F};
      p.rotation_timing = {0.1F, 0.4F, 0.05F, 8.0F};
      p.look_down_deg = 5.0F;
      p.look_down_spread_deg = 10.0F;
      p.tilt_range_deg = 0.5F;
      p.height_range_m = 0.002F;
      p.home_range_m = 0.002F;
      p.min_height_m = 0.8F;
      p.max_height_m = 3.0F;
      break;
    case MotionKind::kPureRotation:
      p.rotation = {{0.0F, 0.10F, 0.40F, 0.80F, 1.5F, 3.2F, 4.5F, 6.0F}};
      p.table_hz = 30.0F;
      p.rotation_timing = {0.6F, 0.05F, 0.05F, 6.0F};
      p.rotation_clip_share = 0.5F;
      p.turn_axes = {0.5F, 1.0F, 0.3F};
      p.look_down_spread_deg = 10.0F;
      p.tilt_range_deg = 25.0F;
      p.min_height_m = 1.0F;
      p.max_height_m = 2.5F;
      break;
  }
  return p;
}

}  // namespace calfvo::motion
