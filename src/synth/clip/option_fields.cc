// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/option_fields.h"

#include <array>

namespace calfvo {
namespace {

using motion::RealSegmentOptions;

constexpr std::array kEffects = {
    FloatField<EffectsOptions>{"rolling_shutter_probability", &EffectsOptions::rolling_shutter_probability},
    FloatField<EffectsOptions>{"max_readout_s", &EffectsOptions::max_readout_s},
    FloatField<EffectsOptions>{"motion_blur_probability", &EffectsOptions::motion_blur_probability},
    FloatField<EffectsOptions>{"max_exposure_s", &EffectsOptions::max_exposure_s},
    FloatField<EffectsOptions>{"exposure_probability", &EffectsOptions::exposure_probability},
    FloatField<EffectsOptions>{"max_exposure_offset", &EffectsOptions::max_exposure_offset},
    FloatField<EffectsOptions>{"max_exposure_drift", &EffectsOptions::max_exposure_drift},
    FloatField<EffectsOptions>{"exposure_step_probability", &EffectsOptions::exposure_step_probability},
    FloatField<EffectsOptions>{"max_exposure_step", &EffectsOptions::max_exposure_step},
    FloatField<EffectsOptions>{"vignetting_probability", &EffectsOptions::vignetting_probability},
    FloatField<EffectsOptions>{"max_vignetting", &EffectsOptions::max_vignetting},
    FloatField<EffectsOptions>{"noise_probability", &EffectsOptions::noise_probability},
    FloatField<EffectsOptions>{"max_noise", &EffectsOptions::max_noise},
    FloatField<EffectsOptions>{"grey_probability", &EffectsOptions::grey_probability},
    FloatField<EffectsOptions>{"jpeg_probability", &EffectsOptions::jpeg_probability},
    FloatField<EffectsOptions>{"min_jpeg_quality", &EffectsOptions::min_jpeg_quality},
    FloatField<EffectsOptions>{"tone_probability", &EffectsOptions::tone_probability},
    FloatField<EffectsOptions>{"max_gamma", &EffectsOptions::max_gamma},
    FloatField<EffectsOptions>{"max_color_balance", &EffectsOptions::max_color_balance},
    FloatField<EffectsOptions>{"metering_probability", &EffectsOptions::metering_probability},
    FloatField<EffectsOptions>{"contrast_probability", &EffectsOptions::contrast_probability},
    FloatField<EffectsOptions>{"max_contrast", &EffectsOptions::max_contrast},
    FloatField<EffectsOptions>{"sharpness_probability", &EffectsOptions::sharpness_probability},
    FloatField<EffectsOptions>{"max_softness", &EffectsOptions::max_softness},
    FloatField<EffectsOptions>{"max_sharpness", &EffectsOptions::max_sharpness},
};

constexpr std::array kSensor = {
    FloatField<SensorOptions>{"min_focal_over_width", &SensorOptions::min_focal_over_width},
    FloatField<SensorOptions>{"max_focal_over_width", &SensorOptions::max_focal_over_width},
    FloatField<SensorOptions>{"max_center_offset", &SensorOptions::max_center_offset},
    FloatField<SensorOptions>{"distortion_probability", &SensorOptions::distortion_probability},
    FloatField<SensorOptions>{"max_barrel", &SensorOptions::max_barrel},
    FloatField<SensorOptions>{"max_pincushion", &SensorOptions::max_pincushion},
    FloatField<SensorOptions>{"crop_probability", &SensorOptions::crop_probability},
    FloatField<SensorOptions>{"min_crop", &SensorOptions::min_crop},
};

constexpr std::array kSegments = {
    FloatField<RealSegmentOptions>{"min_rate", &RealSegmentOptions::min_rate},
    FloatField<RealSegmentOptions>{"max_rate", &RealSegmentOptions::max_rate},
    FloatField<RealSegmentOptions>{"flip_probability", &RealSegmentOptions::flip_probability},
    FloatField<RealSegmentOptions>{"reverse_probability", &RealSegmentOptions::reverse_probability},
};

}  // namespace

std::span<const FloatField<EffectsOptions>> EffectFields() {
  return kEffects;
}

std::span<const FloatField<SensorOptions>> SensorFields() {
  return kSensor;
}

std::span<const FloatField<RealSegmentOptions>> SegmentFields() {
  return kSegments;
}

}  // namespace calfvo
