// SPDX-License-Identifier: Apache-2.0
#include "clip/preset.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <limits>

#include "calfvo/error.h"
#include "clip/option_fields.h"
#include "clip/toml_reader.h"

namespace calfvo {
namespace {

constexpr size_t kMaxBytes = 1'000'000;

// Options state their ranges in Validate, whose message starts with the field: here it gets the line.
template <typename Options>
void Validate(const Options& options, const TomlTable& table) {
  try {
    options.Validate();
  } catch (const Error& error) {
    const std::string message = error.what();
    table.Fail(message.substr(0, message.find(' ')), message.substr(message.find(' ') + 1));
  }
}

template <typename Options>
void ReadFields(TomlTable& table, std::span<const FloatField<Options>> fields, Options& options) {
  for (const auto& field : fields) {
    if (const auto value = table.Number(field.name)) options.*field.member = static_cast<float>(*value);
  }
}

void ReadInt(TomlTable& table, std::string_view key, int& value) {
  const auto read = table.Integer(key);
  if (!read) return;
  // Out of int's range is out of every field's range too: Validate says what that is.
  constexpr int64_t kLimit = std::numeric_limits<int>::max();
  value = static_cast<int>(std::min(std::max(*read, -kLimit), kLimit));
}

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
  ReadInt(top, "frames", options.frames);
  ReadInt(top, "width", options.width);
  ReadInt(top, "height", options.height);
  ReadInt(top, "samples", options.samples);
  if (const auto fps = top.NumberOrText("fps")) {
    try {
      options.rate = ParseFrameRate(*fps);
    } catch (const Error& error) {
      top.Fail("fps", error.what());
    }
  }
  Validate(options, top);
}

void ReadCamera(TomlTable table, ClipOptions& options) {
  ReadFields(table, SensorFields(), options.sensor);
  if (const auto square = table.Boolean("square_pixels")) options.square_pixels = *square;
  table.RefuseUnknown();
  Validate(options.sensor, table);
}

void ReadEffects(TomlTable table, ClipOptions& options) {
  ReadFields(table, EffectFields(), options.effects);
  ReadInt(table, "blur_samples", options.effects.blur_samples);
  table.RefuseUnknown();
  Validate(options.effects, table);
}

void ReadRecorded(TomlTable table, ClipOptions& options) {
  ReadFields(table, SegmentFields(), options.segments);
  table.RefuseUnknown();
  Validate(options, table);
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
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw Error(path.string() + ": is a folder; a preset file was expected");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw Error(path.string() + ": cannot open the preset");
  std::string text(kMaxBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad()) throw Error(path.string() + ": cannot read the preset");
  text.resize(static_cast<size_t>(stream.gcount()));
  if (text.size() > kMaxBytes) {
    throw Error(fmt::format("{}: is larger than {} bytes; a preset was expected", path.string(), kMaxBytes));
  }
  return ParsePreset(text, path.string());
}

}  // namespace calfvo
