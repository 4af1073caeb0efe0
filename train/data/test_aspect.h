// SPDX-License-Identifier: Apache-2.0
// The expected aspect of procedural windows, from the sensor drawn for them.
#pragma once

#include <cmath>

#include "data/procedural_options.h"
#include "synth/render/camera_model.h"
#include "synth/scene/window_draw.h"

namespace calfvo::train {

// Of window `window` of the batch with the seed `batch_seed`.
inline float LogAspectOf(const ProceduralOptions& options, uint64_t batch_seed, int window) {
  const auto random = [&](synth::WindowPart part) {
    return portable::Random(synth::WindowSeed(batch_seed, window, part));
  };
  const SceneKind kind = synth::DrawKind(options.scene_weights.data(), random(synth::WindowPart::kKind));
  portable::Random for_sensor = random(synth::WindowPart::kSensor);
  const Sensor sensor = DrawSensor(options.sensor, kind, for_sensor);
  return std::log2(sensor.aspect * sensor.crop_width / sensor.crop_height);
}

}  // namespace calfvo::train
