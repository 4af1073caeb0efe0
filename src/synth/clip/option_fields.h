// SPDX-License-Identifier: Apache-2.0
// The numbers of nested options by name, for reading presets and for writing what was used.
#pragma once

#include <span>

#include "core/config/float_field.h"
#include "synth/motion/real_segment.h"
#include "synth/render/camera_model.h"
#include "synth/render/effects.h"

namespace calfvo {

// Every float of EffectsOptions; blur_samples, its one integer, is not among them.
std::span<const FloatField<EffectsOptions>> EffectFields();
std::span<const FloatField<SensorOptions>> SensorFields();
std::span<const FloatField<motion::RealSegmentOptions>> SegmentFields();

}  // namespace calfvo
