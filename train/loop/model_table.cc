// SPDX-License-Identifier: Apache-2.0
#include "loop/model_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calfvo/error.h"
#include "core/config/option_reader.h"
#include "nn/architecture/model_config_names.h"

namespace calfvo::train {
namespace {

template <typename Enum, typename Names>
void ReadChoice(TomlTable& table, std::string_view key, const Names& names, Enum& value) {
  value = table.Choice(key, names).value_or(value);
}

void ReadInput(TomlTable table, InputConfig& input) {
  ReadOption(table, "size", input.size);
  ReadChoice(table, "resize", kResizeNames, input.resize);
  ReadChoice(table, "filter", kFilterNames, input.filter);
  ReadOption(table, "mean", input.mean);
  ReadOption(table, "std", input.std);
  ReadOption(table, "aspect", input.aspect);
  table.RefuseUnknown();
}

void ReadEncoder(TomlTable table, EncoderConfig& encoder) {
  ReadChoice(table, "kind", kEncoderNames, encoder.kind);
  ReadOption(table, "patch", encoder.patch);
  ReadOption(table, "dim", encoder.dim);
  ReadOption(table, "depth", encoder.depth);
  ReadOption(table, "heads", encoder.heads);
  ReadOption(table, "hidden", encoder.hidden);
  ReadOption(table, "norm_eps", encoder.norm_eps);
  ReadOption(table, "rope_base", encoder.rope_base);
  ReadOption(table, "registers", encoder.registers);
  ReadOption(table, "grid", encoder.grid);
  ReadChoice(table, "interpolation", kInterpolationNames, encoder.interpolation);
  ReadOption(table, "channels", encoder.channels);
  ReadOption(table, "blocks", encoder.blocks);
  table.RefuseUnknown();
}

void ReadDecoder(TomlTable table, DecoderConfig& decoder) {
  ReadChoice(table, "kind", kDecoderNames, decoder.kind);
  ReadOption(table, "dim", decoder.dim);
  ReadOption(table, "depth", decoder.depth);
  ReadOption(table, "heads", decoder.heads);
  ReadOption(table, "hidden", decoder.hidden);
  ReadOption(table, "norm_eps", decoder.norm_eps);
  table.RefuseUnknown();
}

void ReadHead(TomlTable table, HeadConfig& head) {
  ReadChoice(table, "rotation", kRotationNames, head.rotation);
  ReadOption(table, "confidence", head.confidence);
  ReadOption(table, "translation_mean", head.translation_mean);
  ReadOption(table, "translation_std", head.translation_std);
  table.RefuseUnknown();
}

}  // namespace

ModelConfig ReadModel(TomlTable table) {
  ModelConfig config;
  try {
    config = NamedConfig(table.Text("base").value_or("calfvo-s"));
  } catch (const Error& error) {
    table.Fail("base", error.what());
  }
  ReadOption(table, "name", config.name);
  ReadOption(table, "licence", config.licence);
  ReadOption(table, "training", config.training);
  ReadOption(table, "window", config.window);
  if (auto input = table.Table("input")) ReadInput(*input, config.input);
  if (auto encoder = table.Table("encoder")) ReadEncoder(*encoder, config.encoder);
  if (auto decoder = table.Table("decoder")) ReadDecoder(*decoder, config.decoder);
  if (auto head = table.Table("head")) ReadHead(*head, config.head);
  table.RefuseUnknown();
  ValidateOptions(config, table);
  return config;
}

std::string ModelDifference(const std::string& of_file, const std::string& of_run) {
  // {"/decoder/heads": 4, …}
  const auto flat = [](const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    return json.is_object() ? json.flatten() : nlohmann::json::object();
  };
  const nlohmann::json has = flat(of_file);
  const nlohmann::json wanted = flat(of_run);
  nlohmann::json keys = has;
  keys.update(wanted);
  for (const auto& [key, unused] : keys.items()) {
    const auto value = [&key](const nlohmann::json& json) {
      return json.contains(key) ? json[key].dump() : std::string("not there");
    };
    if (value(has) == value(wanted)) continue;
    std::string name = "model" + key;
    std::replace(name.begin(), name.end(), '/', '.');
    return fmt::format("{} is {:.80}, but the run has {:.80}", name, value(has), value(wanted));
  }
  return "it is of another model";
}

}  // namespace calfvo::train
