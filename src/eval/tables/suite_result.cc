// SPDX-License-Identifier: Apache-2.0
#include "eval/tables/suite_result.h"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include "calfvo/error.h"
#include "core/base/atomic_file.h"
#include "nn/architecture/model_config_names.h"

namespace calfvo {
namespace {

using Json = nlohmann::ordered_json;

// Fields are listed once; a visitor writes or reads each.
template <typename Scores, typename Visitor>
void VisitScores(Scores& scores, Visitor visit) {
  visit("t_rel", scores.t_rel);
  visit("r_rel", scores.r_rel);
  visit("ate", scores.ate);
  visit("are", scores.are);
  visit("t_rel_aligned", scores.t_rel_aligned);
  visit("ate_aligned", scores.ate_aligned);
  visit("are_aligned", scores.are_aligned);
  visit("scale", scores.scale);
}

template <typename Calibration, typename Visitor>
void VisitCalibration(Calibration& calibration, Visitor visit) {
  visit("rotation", calibration.rotation);
  visit("translation", calibration.translation);
}

template <typename Calibration, typename Visitor>
void VisitPoseCalibration(Calibration& calibration, Visitor visit) {
  visit("orientation", calibration.orientation);
  visit("position", calibration.position);
  visit("rotation_sums", calibration.rotation_sums);
  visit("translation_sums", calibration.translation_sums);
}

template <typename Design, typename Visitor>
void VisitDesign(Design& design, Visitor visit) {
  visit("encoder", design.encoder, kEncoderNames);
  visit("attention", design.attention, kDecoderNames);
  visit("rotation", design.rotation, kRotationNames);
  visit("confidence", design.confidence);
}

template <typename Camera, typename Visitor>
void VisitCamera(Camera& camera, Visitor visit) {
  visit("fx", camera.fx);
  visit("fy", camera.fy);
  visit("cx", camera.cx);
  visit("cy", camera.cy);
}

template <typename Result, typename Visitor>
void VisitOwn(Result& result, Visitor visit) {
  visit("model", result.model);
  visit("model_sha256", result.model_sha256);
  visit("backend", result.backend);
  visit("overlap", result.overlap);
  visit("flip", result.flip);
  visit("input", result.input);
  visit("input_sha256", result.input_sha256);
  visit("frames", result.frames);
  visit("poses", result.poses);
  visit("wall_s", result.wall_s);
  visit("estimates_per_pair", result.estimates_per_pair);
}

// Adds to `json`; nlohmann writes NaN as null.
struct Writer {
  Json& json;

  void operator()(const char* key, const auto& value) const { json[key] = value; }
  void operator()(const char* key, const auto& value, const auto& names) const {
    json[key] = NameOf(names, value);
  }
};

struct Reader {
  const nlohmann::json& json;

  const nlohmann::json& At(const char* key) const {
    if (!json.is_object() || !json.contains(key)) throw Error(fmt::format("the key '{}' is missing", key));
    return json.at(key);
  }
  template <typename Value>
  void Get(const char* key, Value& value) const {
    try {
      At(key).get_to(value);
    } catch (const nlohmann::json::exception&) {
      throw Error(fmt::format("the value of '{}' has the wrong type", key));
    }
  }

  void operator()(const char* key, double& value) const {
    value = kUnknown;
    if (!At(key).is_null()) Get(key, value);
  }
  void operator()(const char* key, bool& value) const { Get(key, value); }
  // Does not round 5.9 or wrap 1e300, as get_to would.
  void operator()(const char* key, std::integral auto& value) const {
    using Value = std::remove_reference_t<decltype(value)>;
    const nlohmann::json& number = At(key);
    if (!number.is_number_integer() || !std::in_range<Value>(number.get<int64_t>())) {
      throw Error(fmt::format("{} is {}; expected a whole number of usual size", key, number.dump()));
    }
    number.get_to(value);
  }
  void operator()(const char* key, Coverage& value) const {
    Get(key, value);
    if (!value.empty() && value.size() != kCoverageLevels) {
      throw Error(fmt::format("{} has {} numbers; expected {} or none", key, value.size(), kCoverageLevels));
    }
  }
  template <typename Value>
  void operator()(const char* key, Value& value) const {
    Get(key, value);
  }
  void operator()(const char* key, auto& value, const auto& names) const {
    std::string name;
    Get(key, name);
    value = ValueOf(names, name, key);
  }
};

auto Settings(const SuiteResult& result) {
  return std::tie(result.model, result.model_sha256, result.backend, result.overlap, result.flip, result.live,
                  result.refine, result.masks);
}

}  // namespace

bool HaveSameSettings(const SuiteResult& a, const SuiteResult& b) {
  return Settings(a) == Settings(b);
}

std::string SettingsText(const SuiteResult& result) {
  return fmt::format("{}{}{:.12}, {}, overlap {}{}{}{}{}", result.model,
                     result.model_sha256.empty() ? "" : " ", result.model_sha256, result.backend,
                     result.overlap, result.flip ? ", flip" : "", result.live ? ", live" : "",
                     result.refine ? ", refine" : "", result.masks ? ", masks" : "");
}

void WriteSuiteResult(const SuiteResult& result, const std::filesystem::path& path) {
  Json json;
  VisitOwn(result, Writer{json});
  if (result.design) VisitDesign(*result.design, Writer{json["design"]});
  if (result.live) json["live"] = true;
  if (result.refine) json["refine"] = true;
  if (result.masks) json["masks"] = true;
  VisitScores(result.scores, Writer{json["scores"]});
  if (result.network) VisitScores(*result.network, Writer{json["network"]});
  if (result.camera) VisitCamera(*result.camera, Writer{json["camera"]});
  VisitScores(result.zero, Writer{json["zero_motion"]});
  VisitScores(result.constant, Writer{json["constant_motion"]});
  VisitCalibration(result.calibration, Writer{json["calibration"]});
  VisitPoseCalibration(result.pose_calibration, Writer{json["pose_calibration"]});
  WriteFileAtomically(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

SuiteResult ReadSuiteResult(const std::filesystem::path& path) {
  constexpr uintmax_t kMaxMiB = 1;  // a few KiB are usual
  std::error_code no_size;
  const uintmax_t bytes = std::filesystem::file_size(path, no_size);
  std::ifstream stream;
  if (!no_size) stream.open(path);  // of a pipe it would wait for the writer
  if (no_size || !stream) throw Error(path.string() + ": cannot read it");
  const auto fail = [&](std::string_view what) {
    throw Error(fmt::format("{}: {}; remove the file to run the sequence again", path.string(), what));
  };
  if (bytes > kMaxMiB << 20) fail(fmt::format("has over {} MiB", kMaxMiB));
  SuiteResult result;
  try {
    const auto json = nlohmann::json::parse(stream);  // finds keys faster than what keeps their order
    const Reader reader{json};
    VisitOwn(result, reader);
    if (json.contains("design")) VisitDesign(result.design.emplace(), Reader{reader.At("design")});
    // Written where true, and by versions that know them.
    if (json.contains("live")) reader("live", result.live);
    if (json.contains("refine")) reader("refine", result.refine);
    if (json.contains("masks")) reader("masks", result.masks);
    if (json.contains("network")) VisitScores(result.network.emplace(), Reader{reader.At("network")});
    if (json.contains("camera")) VisitCamera(result.camera.emplace(), Reader{reader.At("camera")});
    VisitScores(result.scores, Reader{reader.At("scores")});
    VisitScores(result.zero, Reader{reader.At("zero_motion")});
    VisitScores(result.constant, Reader{reader.At("constant_motion")});
    VisitCalibration(result.calibration, Reader{reader.At("calibration")});
    VisitPoseCalibration(result.pose_calibration, Reader{reader.At("pose_calibration")});
  } catch (const nlohmann::json::parse_error& error) {
    fail(fmt::format("is not valid JSON at byte {}", error.byte));
  } catch (const nlohmann::json::exception&) {
    fail("has a number beyond the range of double");
  } catch (const Error& error) {
    fail(error.what());
  }
  return result;
}

}  // namespace calfvo
