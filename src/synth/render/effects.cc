// SPDX-License-Identifier: Apache-2.0
#include "synth/render/effects.h"

#include <cstdio>
#include <string>

#include "calfvo/error.h"
#include "synth/render/camera_model.h"

namespace calfvo {
namespace {

void CheckRange(const char* field, float value, float low, float high) {
  if (value >= low && value <= high) return;
  char range[128];
  std::snprintf(range, sizeof(range), " is %g; expected %g to %g", static_cast<double>(value),
                static_cast<double>(low), static_cast<double>(high));
  throw Error(std::string(field) + range);
}

}  // namespace

EffectsOptions EffectsOptions::Training() {
  EffectsOptions o;
  o.rolling_shutter_probability = 0.4F;
  o.motion_blur_probability = 0.2F;
  o.exposure_probability = 0.6F;
  o.max_exposure_offset = 0.4F;
  o.exposure_step_probability = 0.1F;
  o.vignetting_probability = 0.4F;
  o.noise_probability = 0.6F;
  o.grey_probability = 0.25F;
  o.jpeg_probability = 0.4F;
  o.tone_probability = 0.6F;
  o.max_gamma = 0.6F;  // towards the linear response of industrial cameras
  o.metering_probability = 0.8F;
  o.contrast_probability = 0.85F;
  o.sharpness_probability = 0.6F;
  return o;
}

void EffectsOptions::Validate() const {
  CheckRange("rolling_shutter_probability", rolling_shutter_probability, 0.0F, 1.0F);
  CheckRange("max_readout_s", max_readout_s, 0.0F, 0.2F);
  CheckRange("motion_blur_probability", motion_blur_probability, 0.0F, 1.0F);
  CheckRange("max_exposure_s", max_exposure_s, 0.0F, 0.2F);
  CheckRange("blur_samples", static_cast<float>(blur_samples), 1.0F, 8.0F);
  CheckRange("exposure_probability", exposure_probability, 0.0F, 1.0F);
  CheckRange("max_exposure_offset", max_exposure_offset, 0.0F, 4.0F);
  CheckRange("max_exposure_drift", max_exposure_drift, 0.0F, 1.0F);
  CheckRange("exposure_step_probability", exposure_step_probability, 0.0F, 1.0F);
  CheckRange("max_exposure_step", max_exposure_step, 0.0F, 4.0F);
  CheckRange("vignetting_probability", vignetting_probability, 0.0F, 1.0F);
  CheckRange("max_vignetting", max_vignetting, 0.0F, 1.0F);
  CheckRange("noise_probability", noise_probability, 0.0F, 1.0F);
  CheckRange("max_noise", max_noise, 0.0F, 64.0F);
  CheckRange("grey_probability", grey_probability, 0.0F, 1.0F);
  CheckRange("jpeg_probability", jpeg_probability, 0.0F, 1.0F);
  CheckRange("min_jpeg_quality", min_jpeg_quality, 1.0F, 96.0F);
  CheckRange("tone_probability", tone_probability, 0.0F, 1.0F);
  CheckRange("max_gamma", max_gamma, 0.0F, 1.0F);
  CheckRange("max_color_balance", max_color_balance, 0.0F, 1.0F);
  CheckRange("metering_probability", metering_probability, 0.0F, 1.0F);
  CheckRange("contrast_probability", contrast_probability, 0.0F, 1.0F);
  CheckRange("max_contrast", max_contrast, 0.1F, 5.0F);
  CheckRange("sharpness_probability", sharpness_probability, 0.0F, 1.0F);
  CheckRange("max_softness", max_softness, 0.0F, 1.0F);
  CheckRange("max_sharpness", max_sharpness, 0.0F, 4.0F);
}

void SensorOptions::Validate() const {
  CheckRange("min_focal_over_width", min_focal_over_width, 0.2F, 10.0F);
  CheckRange("max_focal_over_width", max_focal_over_width, min_focal_over_width, 10.0F);
  CheckRange("max_center_offset", max_center_offset, 0.0F, 0.5F);
  CheckRange("distortion_probability", distortion_probability, 0.0F, 1.0F);
  CheckRange("max_barrel", max_barrel, 0.0F, 0.3F);
  CheckRange("max_pincushion", max_pincushion, 0.0F, 0.5F);
  CheckRange("crop_probability", crop_probability, 0.0F, 1.0F);
  CheckRange("min_crop", min_crop, 0.1F, 1.0F);
}

}  // namespace calfvo
