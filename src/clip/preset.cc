// SPDX-License-Identifier: Apache-2.0
#include "clip/preset.h"

#include <fmt/format.h>

#include "calfvo/error.h"
#include "clip/option_fields.h"
#include "config/config_text.h"
#include "config/option_reader.h"

namespace calfvo {
namespace {

// A table of weights by kind; kinds that are not named get zero.
template <size_t N, typename NameOf>
void ReadWeights(TomlTable table, NameOf name_of, std::array<float, N>& weights) {
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

void ReadClip(TomlTable& top, ClipOptions& options) {
  ReadOption(top, "frames", options.frames);
  ReadOption(top, "width", options.width);
  ReadOption(top, "height", options.height);
  ReadOption(top, "samples", options.samples);
  if (const auto fps = top.NumberOrText("fps")) {
    try {
      options.rate = ParseFrameRate(*fps);
    } catch (const Error& error) {
      top.Fail("fps", error.what());
    }
  }
  ValidateOptions(options, top);
}

void ReadCamera(TomlTable table, ClipOptions& options) {
  ReadFields(table, SensorFields(), options.sensor);
  ReadOption(table, "square_pixels", options.square_pixels);
  table.RefuseUnknown();
  ValidateOptions(options.sensor, table);
}

void ReadEffects(TomlTable table, ClipOptions& options) {
  ReadFields(table, EffectFields(), options.effects);
  ReadOption(table, "blur_samples", options.effects.blur_samples);
  table.RefuseUnknown();
  ValidateOptions(options.effects, table);
}

void ReadRecorded(TomlTable table, ClipOptions& options) {
  ReadFields(table, SegmentFields(), options.segments);
  table.RefuseUnknown();
  ValidateOptions(options, table);
}

}  // namespace

Preset ParsePreset(std::string_view text, const std::string& file) {
  const toml::table parsed = ParseToml(text, file);
  TomlTable top(parsed, file, "");
  Preset preset;
  preset.description = top.Text("description").value_or("");
  ReadClip(top, preset.options);
  if (auto table = top.Table("scenes")) ReadWeights(*table, SceneName, preset.options.scene_weights);
  if (auto motions = top.Table("motions")) {
    for (size_t i = 0; i < preset.options.motion_weights.size(); ++i) {
      if (auto table = motions->Table(SceneName(i))) {
        ReadWeights(
            *table, [](size_t k) { return motion::kMotionKindNames[k]; }, preset.options.motion_weights[i]);
      }
    }
    motions->RefuseUnknown();
  }
  if (auto table = top.Table("camera")) ReadCamera(*table, preset.options);
  if (auto table = top.Table("effects")) ReadEffects(*table, preset.options);
  if (auto table = top.Table("recorded")) ReadRecorded(*table, preset.options);
  top.RefuseUnknown();
  return preset;
}

Preset ReadPreset(const std::filesystem::path& path) {
  return ParsePreset(ReadConfigText(path, "preset"), path.string());
}

}  // namespace calfvo
