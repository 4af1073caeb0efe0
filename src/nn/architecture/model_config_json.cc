// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "calfvo/error.h"
#include "core/base/quoted.h"
#include "nn/architecture/model_config.h"
#include "nn/architecture/model_config_names.h"

namespace calfvo {
namespace {

using Json = nlohmann::ordered_json;

// Reads the keys of one JSON object, each once, and reports those that were not read.
class ObjectReader {
 public:
  ObjectReader(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object.is_object()) throw Error(fmt::format("{} is not a JSON object", path_));
  }

  bool Has(const char* key) const { return object_.contains(key); }

  const Json& At(const char* key) {
    const auto found = object_.find(key);
    if (found == object_.end()) throw Error(fmt::format("{}.{} is missing", path_, key));
    read_.insert(key);
    return *found;
  }

  void Read(const char* key, std::string* value) { *value = Typed(key, &Json::is_string, "a string"); }
  void Read(const char* key, bool* value) { *value = Typed(key, &Json::is_boolean, "true or false"); }
  void Read(const char* key, double* value) {
    *value = Typed(key, &Json::is_number, "a number").get<double>();
  }
  void Read(const char* key, int* value) { *value = Integer(At(key), key); }

  template <size_t count>
  void Read(const char* key, std::array<double, count>* values) {
    const Json& list = List(key, count);
    for (size_t i = 0; i < count; ++i) {
      if (!list[i].is_number()) Fail(key, fmt::format("a list of {} numbers", count));
      (*values)[i] = list[i].get<double>();
    }
  }
  template <size_t count>
  void Read(const char* key, std::array<int, count>* values) {
    const Json& list = List(key, count);
    for (size_t i = 0; i < count; ++i) (*values)[i] = Integer(list[i], key);
  }
  template <typename Enum, size_t count>
  void Read(const char* key, const ConfigName<Enum> (&names)[count], Enum* value) {
    std::string name;
    Read(key, &name);
    *value = ValueOf(names, name, fmt::format("{}.{}", path_, key));
  }

  void ExpectNoMore() const {
    for (const auto& [key, value] : object_.items()) {
      if (read_.count(key) == 0) throw Error(fmt::format("{} has the unknown key {}", path_, Quoted(key)));
    }
  }

 private:
  [[noreturn]] void Fail(const char* key, std::string_view expected) const {
    throw Error(fmt::format("{}.{} is not {}", path_, key, expected));
  }
  const Json& Typed(const char* key, bool (Json::*is_type)() const noexcept, const char* expected) {
    const Json& value = At(key);
    if (!(value.*is_type)()) Fail(key, expected);
    return value;
  }
  const Json& List(const char* key, size_t count) {
    const Json& list = At(key);
    if (!list.is_array() || list.size() != count) Fail(key, fmt::format("a list of {} numbers", count));
    return list;
  }
  int Integer(const Json& value, const char* key) const {
    constexpr double kMost = 1e9;
    const bool small = value.is_number_integer() && std::abs(value.get<double>()) <= kMost;
    if (!small) Fail(key, "a small whole number");
    return value.get<int>();
  }

  const Json& object_;
  const std::string path_;
  std::set<std::string, std::less<>> read_;
};

EncoderConfig ReadEncoder(const Json& json) {
  ObjectReader reader(json, "encoder");
  EncoderConfig encoder;
  reader.Read("kind", kEncoderNames, &encoder.kind);
  reader.Read("dim", &encoder.dim);
  reader.Read("depth", &encoder.depth);
  reader.Read("heads", &encoder.heads);
  reader.Read("hidden", &encoder.hidden);
  reader.Read("norm_eps", &encoder.norm_eps);
  switch (encoder.kind) {
    case EncoderKind::kCroco:
      reader.Read("patch", &encoder.patch);
      reader.Read("rope_base", &encoder.rope_base);
      break;
    case EncoderKind::kDinov2:
      reader.Read("patch", &encoder.patch);
      reader.Read("registers", &encoder.registers);
      reader.Read("grid", &encoder.grid);
      reader.Read("interpolation", kInterpolationNames, &encoder.interpolation);
      break;
    case EncoderKind::kDinov3:
      reader.Read("patch", &encoder.patch);
      reader.Read("registers", &encoder.registers);
      break;
    case EncoderKind::kPair:
      reader.Read("channels", &encoder.channels);
      reader.Read("blocks", &encoder.blocks);
      reader.Read("rope_base", &encoder.rope_base);
      break;
  }
  reader.ExpectNoMore();
  return encoder;
}

DecoderConfig ReadDecoder(const Json& json) {
  ObjectReader reader(json, "decoder");
  DecoderConfig decoder;
  reader.Read("kind", kDecoderNames, &decoder.kind);
  reader.Read("dim", &decoder.dim);
  reader.Read("depth", &decoder.depth);
  reader.Read("heads", &decoder.heads);
  reader.Read("hidden", &decoder.hidden);
  reader.Read("norm_eps", &decoder.norm_eps);
  reader.ExpectNoMore();
  return decoder;
}

InputConfig ReadInput(const Json& json) {
  ObjectReader reader(json, "input");
  InputConfig input;
  reader.Read("size", &input.size);
  reader.Read("resize", kResizeNames, &input.resize);
  reader.Read("filter", kFilterNames, &input.filter);
  reader.Read("mean", &input.mean);
  reader.Read("std", &input.std);
  if (reader.Has("aspect")) reader.Read("aspect", &input.aspect);
  reader.ExpectNoMore();
  return input;
}

HeadConfig ReadHead(const Json& json) {
  ObjectReader reader(json, "head");
  HeadConfig head;
  reader.Read("rotation", kRotationNames, &head.rotation);
  reader.Read("confidence", &head.confidence);
  reader.Read("translation_mean", &head.translation_mean);
  reader.Read("translation_std", &head.translation_std);
  reader.Read("log_variance_shift", &head.log_variance_shift);
  if (reader.Has("step_correlation")) reader.Read("step_correlation", &head.step_correlation);
  reader.ExpectNoMore();
  return head;
}

Json ToJson(const InputConfig& input) {
  Json json = {{"size", input.size},
               {"resize", NameOf(kResizeNames, input.resize)},
               {"filter", NameOf(kFilterNames, input.filter)},
               {"mean", input.mean},
               {"std", input.std}};
  if (input.aspect) json["aspect"] = true;
  return json;
}

Json ToJson(const HeadConfig& head) {
  Json json = {{"rotation", NameOf(kRotationNames, head.rotation)},
               {"confidence", head.confidence},
               {"translation_mean", head.translation_mean},
               {"translation_std", head.translation_std},
               {"log_variance_shift", head.log_variance_shift}};
  if (head.step_correlation != HeadConfig().step_correlation)
    json["step_correlation"] = head.step_correlation;
  return json;
}

Json ToJson(const EncoderConfig& encoder) {
  Json json = {{"kind", NameOf(kEncoderNames, encoder.kind)}};
  if (encoder.kind == EncoderKind::kPair) {
    json["channels"] = encoder.channels;
    json["blocks"] = encoder.blocks;
  } else {
    json["patch"] = encoder.patch;
  }
  json["dim"] = encoder.dim;
  json["depth"] = encoder.depth;
  json["heads"] = encoder.heads;
  json["hidden"] = encoder.hidden;
  json["norm_eps"] = encoder.norm_eps;
  const bool is_dino = encoder.prefix_tokens() > 0;
  if (!is_dino) json["rope_base"] = encoder.rope_base;
  if (is_dino) json["registers"] = encoder.registers;
  if (encoder.kind == EncoderKind::kDinov2) {
    json["grid"] = encoder.grid;
    json["interpolation"] = NameOf(kInterpolationNames, encoder.interpolation);
  }
  return json;
}

// nlohmann keeps the last of repeated keys; here they are refused. Also bounds the nesting, how many keys an
// object has, since each is searched for among those before it, and the text: with a callback, every end of
// an object searches the array that holds it.
Json ParseStrictly(std::string_view text) {
  constexpr size_t kMaxKeys = 64;
  constexpr size_t kMaxBytes = size_t{64} << 10;
  if (text.size() > kMaxBytes)
    throw Error(fmt::format("config has {} bytes; expected at most {}", text.size(), kMaxBytes));
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > 8) throw Error("config is nested too deeply");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw Error(fmt::format("config has the key {} twice", Quoted(parsed.get<std::string>())));
    }
    if (!keys.empty() && keys.back().size() > kMaxKeys)
      throw Error(fmt::format("config has an object of more than {} keys", kMaxKeys));
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(fmt::format("config is not valid JSON at byte {}", error.byte));
  } catch (const nlohmann::json::exception&) {
    throw Error("config has a number beyond the range of double");
  }
}

}  // namespace

ModelConfig ParseModelConfig(std::string_view json, const std::string& source) {
  try {
    const Json root = ParseStrictly(json);
    ObjectReader reader(root, "config");
    int format = 0;
    reader.Read("format", &format);
    if (format != 1) throw Error(fmt::format("config.format is {}; this version reads 1", format));
    ModelConfig config;
    reader.Read("name", &config.name);
    reader.Read("licence", &config.licence);
    reader.Read("training", &config.training);
    reader.Read("window", &config.window);
    config.input = ReadInput(reader.At("input"));
    config.encoder = ReadEncoder(reader.At("encoder"));
    config.decoder = ReadDecoder(reader.At("decoder"));
    config.head = ReadHead(reader.At("head"));
    reader.ExpectNoMore();
    config.Validate();
    return config;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", source, error.what()));
  }
}

std::string ModelConfigJson(const ModelConfig& config) {
  const Json json = {
      {"format", 1},
      {"name", config.name},
      {"licence", config.licence},
      {"training", config.training},
      {"window", config.window},
      {"input", ToJson(config.input)},
      {"encoder", ToJson(config.encoder)},
      {"decoder",
       {{"kind", NameOf(kDecoderNames, config.decoder.kind)},
        {"dim", config.decoder.dim},
        {"depth", config.decoder.depth},
        {"heads", config.decoder.heads},
        {"hidden", config.decoder.hidden},
        {"norm_eps", config.decoder.norm_eps}}},
      {"head", ToJson(config.head)},
  };
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace calfvo
