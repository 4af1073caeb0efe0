// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/preset.h"

#include "calfvo/error.h"
#include "core/config/config_text.h"
#include "core/config/option_reader.h"
#include "synth/clip/option_tables.h"

namespace calfvo {
namespace {

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
  ReadOption(table, "square_pixels", options.square_pixels);
  ReadSensor(table, options.sensor);
  table.RefuseUnknown();
}

}  // namespace

Preset ParsePreset(std::string_view text, const std::string& file) {
  const toml::table parsed = ParseToml(text, file);
  TomlTable top(parsed, file, "");
  Preset preset;
  preset.description = top.Text("description").value_or("");
  ReadClip(top, preset.options);
  ClipOptions& options = preset.options;
  if (auto table = top.Table("scenes")) ReadSceneWeights(*table, options.scene_weights);
  if (auto table = top.Table("motions")) ReadMotionWeights(*table, options.motion_weights);
  if (auto table = top.Table("camera")) ReadCamera(*table, options);
  if (auto table = top.Table("effects")) ReadEffects(*table, options.effects);
  if (auto table = top.Table("recorded")) ReadSegments(*table, options.segments);
  top.RefuseUnknown();
  return preset;
}

Preset ReadPreset(const std::filesystem::path& path) {
  return ParsePreset(ReadConfigText(path, "preset"), path.string());
}

}  // namespace calfvo
