// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/option_tables.h"

#include <fmt/format.h>

#include "core/config/option_reader.h"
#include "synth/clip/option_fields.h"

namespace calfvo {
namespace {

template <size_t N, typename NameOf>
void ReadWeights(TomlTable& table, NameOf name_of, std::array<float, N>& weights) {
  float sum = 0.0F;
  std::string_view last;
  for (size_t i = 0; i < N; ++i) {
    const std::string_view name = name_of(i);
    const double weight = table.Number(name).value_or(0.0);
    if (!(weight >= 0.0 && weight <= 1e6)) {
      table.Fail(name, fmt::format("is {}; expected 0 to 1000000", weight));
    }
    if (weight > 0.0) last = name;
    weights[i] = static_cast<float>(weight);
    sum += weights[i];
  }
  table.RefuseUnknown();
  if (!(sum > 0.0F)) table.Fail(last, "all weights are zero; expected one above zero");
}

std::string_view SceneName(size_t i) {
  return SceneKindName(static_cast<SceneKind>(i));
}

}  // namespace

void ReadSceneWeights(TomlTable table, SceneWeights& weights) {
  ReadWeights(table, SceneName, weights);
}

void ReadMotionWeights(TomlTable table, std::array<MotionWeights, kSceneKindCount>& weights) {
  for (size_t i = 0; i < weights.size(); ++i) {
    if (auto motions = table.Table(SceneName(i))) {
      ReadWeights(
          *motions, [](size_t k) { return motion::kMotionKindNames[k]; }, weights[i]);
    }
  }
  table.RefuseUnknown();
}

void ReadEffects(TomlTable table, EffectsOptions& effects) {
  ReadFields(table, EffectFields(), effects);
  ReadOption(table, "blur_samples", effects.blur_samples);
  table.RefuseUnknown();
  ValidateOptions(effects, table);
}

void ReadSegments(TomlTable table, motion::RealSegmentOptions& segments) {
  ReadFields(table, SegmentFields(), segments);
  table.RefuseUnknown();
  ClipOptions knows_ranges;
  knows_ranges.segments = segments;
  ValidateOptions(knows_ranges, table);
}

void ReadSensor(TomlTable& table, SensorOptions& sensor) {
  ReadFields(table, SensorFields(), sensor);
  ValidateOptions(sensor, table);
}

}  // namespace calfvo
