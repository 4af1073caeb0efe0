// SPDX-License-Identifier: Apache-2.0
// The parameters of each kind of motion: distributions of speed, timings and preferred directions.
#pragma once

#include "core/portable/host_device.h"
#include "core/portable/vec3.h"
#include "synth/motion/gaussian_process.h"
#include "synth/motion/magnitude.h"
#include "synth/motion/motion_kind.h"

namespace calfvo::motion {

struct MotionProfile {
  // Per frame at `table_hz`: metres, and degrees. For vehicles the second is of the turn about the vertical.
  MagnitudeTable translation;
  MagnitudeTable rotation;
  float table_hz = 30.0F;

  Timing translation_timing;
  Timing rotation_timing;
  // The share of the variance of speed between clips; the rest varies within a clip.
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

// One row per kind, in the order of MotionKind. The first six reproduce the statistics of the recordings that
// motion_kind.h names (camera_motion_statistics_test.cc); the others are plausible values.
CALFVO_HD MotionProfile ProfileOf(MotionKind kind) {
  // Local, because device code cannot index a constant of the host.
  constexpr MotionProfile kProfiles[kMotionKindCount] = {
      {// kHandheld
       .translation = {{0.0F, 0.0015F, 0.0056F, 0.0085F, 0.0120F, 0.0199F, 0.0297F, 0.040F}},
       .rotation = {{0.0F, 0.083F, 0.316F, 0.513F, 0.768F, 1.325F, 1.795F, 2.4F}},
       .table_hz = 30.0F,
       .translation_timing = {0.60F, 0.20F, 0.03F, 11.0F},
       .rotation_timing = {0.42F, 0.26F, 0.04F, 5.0F},
       .travel_axes = {1.2F, 0.6F, 1.0F},
       .turn_axes = {0.55F, 1.0F, 0.6F},
       .look_down_deg = 8.0F,
       .look_down_spread_deg = 10.0F,
       .tilt_range_deg = 20.0F,
       .height_range_m = 0.4F,
       .min_height_m = 1.1F,
       .max_height_m = 1.8F},
      {// kHeadMounted
       .translation = {{0.0F, 0.004F, 0.027F, 0.044F, 0.058F, 0.076F, 0.103F, 0.13F}},
       .rotation = {{0.0F, 0.451F, 1.652F, 2.717F, 4.394F, 7.927F, 9.798F, 12.0F}},
       .table_hz = 20.0F,
       .translation_timing = {0.30F, 0.35F, 0.08F, 4.0F},
       .rotation_timing = {0.40F, 0.06F, 0.08F, 4.0F},
       .travel_axes = {1.0F, 0.5F, 1.0F},
       .turn_axes = {0.7F, 1.0F, 0.6F},
       .ahead = 0.3F,
       .look_down_deg = 5.0F,
       .look_down_spread_deg = 8.0F,
       .tilt_range_deg = 25.0F,
       .height_range_m = 0.25F,
       .min_bob_m = 0.03F,
       .max_bob_m = 0.05F,
       .min_height_m = 1.5F,
       .max_height_m = 1.8F},
      {// kVehicle
       .translation = {{-0.08F, 0.32F, 0.70F, 0.95F, 1.18F, 1.50F, 2.66F, 3.0F}},
       .rotation = {{0.0F, 0.01F, 0.06F, 0.22F, 0.62F, 2.60F, 3.50F, 4.0F}},
       .table_hz = 10.0F,
       .translation_timing = {5.0F, 0.0F, 0.2F, 0.0F},
       .rotation_timing = {1.2F, 0.03F, 0.1F, 0.0F},
       .translation_clip_share = 0.5F,
       .rotation_clip_share = 0.1F,
       .look_down_deg = 1.0F,
       .look_down_spread_deg = 0.5F,
       .tilt_range_deg = 3.0F,
       .height_range_m = 0.1F,
       .min_height_m = 1.2F,
       .max_height_m = 2.2F,
       .is_vehicle = true},
      {// kDrone
       .translation = {{0.0F, 0.0001F, 0.016F, 0.028F, 0.047F, 0.083F, 0.122F, 0.14F}},
       .rotation = {{0.0F, 0.022F, 0.282F, 0.638F, 1.371F, 2.965F, 4.335F, 5.0F}},
       .table_hz = 20.0F,
       .translation_timing = {0.9F, 0.0F, 0.1F, 0.0F},
       .rotation_timing = {0.36F, 0.03F, 0.05F, 3.0F},
       .translation_clip_share = 0.4F,
       .rotation_clip_share = 0.5F,
       .travel_axes = {1.0F, 0.6F, 1.0F},
       .turn_axes = {0.6F, 1.0F, 0.6F},
       .ahead = 0.3F,
       .turn_inertia_s = 0.08F,
       .look_down_deg = 18.0F,
       .look_down_spread_deg = 6.0F,
       .tilt_range_deg = 14.0F,
       .lean = 1.0F,
       .height_range_m = 1.5F,
       .min_height_m = 0.8F,
       .max_height_m = 4.0F},
      {// kFastDrone
       .translation = {{0.0F, 0.029F, 0.116F, 0.166F, 0.228F, 0.341F, 0.384F, 0.42F}},
       .rotation = {{0.0F, 0.175F, 0.840F, 1.553F, 2.412F, 4.141F, 6.436F, 8.0F}},
       .table_hz = 30.0F,
       .translation_timing = {1.2F, 0.0F, 0.1F, 0.0F},
       .rotation_timing = {0.50F, 0.0F, 0.1F, 0.0F},
       .translation_clip_share = 0.3F,
       .travel_axes = {0.7F, 0.4F, 0.8F},
       .turn_axes = {0.7F, 1.0F, 0.9F},
       .ahead = 0.8F,
       .turn_inertia_s = 0.10F,
       .look_down_deg = -15.0F,
       .look_down_spread_deg = 8.0F,
       .tilt_range_deg = 22.0F,
       .lean = 0.7F,
       .height_range_m = 2.0F,
       .min_height_m = 0.8F,
       .max_height_m = 4.0F},
      {// kFreeFlying
       .translation = {{0.0F, 0.017F, 0.100F, 0.213F, 0.349F, 0.473F, 0.494F, 0.50F}},
       .rotation = {{0.0F, 0.194F, 0.602F, 1.123F, 1.826F, 2.874F, 3.430F, 3.8F}},
       .table_hz = 10.0F,
       .translation_timing = {1.2F, 0.0F, 0.1F, 0.0F},
       .rotation_timing = {1.1F, 0.0F, 0.1F, 0.0F},
       .travel_axes = {1.1F, 0.5F, 1.0F},
       .turn_axes = {0.7F, 1.0F, 0.6F},
       .turn_inertia_s = 0.3F,
       .look_down_spread_deg = 8.0F,
       .tilt_range_deg = 30.0F,
       .height_range_m = 3.0F,
       .min_height_m = 0.8F,
       .max_height_m = 6.0F},
      {// kWalking
       .translation = {{0.0F, 0.012F, 0.036F, 0.044F, 0.050F, 0.058F, 0.070F, 0.09F}},
       .rotation = {{0.0F, 0.08F, 0.30F, 0.55F, 1.0F, 2.4F, 3.6F, 5.0F}},
       .table_hz = 30.0F,
       .translation_timing = {1.5F, 0.02F, 0.1F, 3.0F},
       .rotation_timing = {0.4F, 0.05F, 0.05F, 4.0F},
       .translation_clip_share = 0.5F,
       .travel_axes = {0.25F, 0.05F, 0.5F},
       .turn_axes = {0.4F, 1.0F, 0.4F},
       .ahead = 1.2F,
       .look_down_deg = 5.0F,
       .look_down_spread_deg = 6.0F,
       .tilt_range_deg = 12.0F,
       .height_range_m = 0.12F,
       .min_bob_m = 0.03F,
       .max_bob_m = 0.05F,
       .min_height_m = 1.3F,
       .max_height_m = 1.8F},
      {// kStatic
       .translation = {{0.0F, 0.0F, 0.00001F, 0.00003F, 0.00006F, 0.00015F, 0.0003F, 0.0005F}},
       .rotation = {{0.0F, 0.0005F, 0.002F, 0.004F, 0.008F, 0.02F, 0.04F, 0.06F}},
       .table_hz = 30.0F,
       .translation_timing = {0.1F, 0.4F, 0.05F, 8.0F},
       .rotation_timing = {0.1F, 0.4F, 0.05F, 8.0F},
       .look_down_deg = 5.0F,
       .look_down_spread_deg = 10.0F,
       .tilt_range_deg = 0.5F,
       .height_range_m = 0.002F,
       .home_range_m = 0.002F,
       .min_height_m = 0.8F,
       .max_height_m = 3.0F},
      {// kPureRotation
       .rotation = {{0.0F, 0.10F, 0.40F, 0.80F, 1.5F, 3.2F, 4.5F, 6.0F}},
       .table_hz = 30.0F,
       .rotation_timing = {0.6F, 0.05F, 0.05F, 6.0F},
       .rotation_clip_share = 0.5F,
       .turn_axes = {0.5F, 1.0F, 0.3F},
       .look_down_spread_deg = 10.0F,
       .tilt_range_deg = 25.0F,
       .min_height_m = 1.0F,
       .max_height_m = 2.5F},
  };
  return kProfiles[static_cast<int>(kind)];
}

}  // namespace calfvo::motion
