// SPDX-License-Identifier: Apache-2.0
// The tables of TOML files that describe procedural video: in presets and in training configurations.
// What a table leaves out keeps its value. All are strict and throw Error naming file, line and key.
#pragma once

#include "core/config/toml_reader.h"
#include "synth/clip/clip_options.h"

namespace calfvo {

// Weights by kind, [scenes], and by kind of scene and motion, [motions.room]. Kinds that are not named get
// none.
void ReadSceneWeights(TomlTable table, SceneWeights& weights);
void ReadMotionWeights(TomlTable table, std::array<MotionWeights, kSceneKindCount>& weights);

void ReadEffects(TomlTable table, EffectsOptions& effects);
void ReadSegments(TomlTable table, motion::RealSegmentOptions& segments);
// Does not refuse other keys: presets have one more.
void ReadSensor(TomlTable& table, SensorOptions& sensor);

}  // namespace calfvo
