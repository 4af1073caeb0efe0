// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_result.h"

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/atomic_file.h"
#include "calfvo/error.h"
#include "weights/model_config_names.h"

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

template <typename Result, typename Visitor>
void VisitOwn(Result& result, Visitor visit) {
  visit("model", result.model);
  visit("model_sha256", result.model_sha256);
  visit("backend", result.backend);
  visit("overlap", result.overlap);
  visit("mirror", result.mirror);
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

  void operator()(const char* key, double& value) const {
    value = json.at(key).is_null() ? kUnknown : json.at(key).get<double>();
  }
  // Not what JSON would make of 5.9 or 1e300.
  void operator()(const char* key, bool& value) const { json.at(key).get_to(value); }
  void operator()(const char* key, std::integral auto& value) const {
    using Value = std::remove_reference_t<decltype(value)>;
    const nlohmann::json& number = json.at(key);
    if (!number.is_number_integer() || !std::in_range<Value>(number.get<int64_t>())) {
      throw Error(fmt::format("{} is {}; expected a whole number of usual size", key, number.dump()));
    }
    number.get_to(value);
  }
  void operator()(const char* key, Coverage& value) const {
    json.at(key).get_to(value);
    if (!value.empty() && value.size() != kCoverageLevels) {
      throw Error(fmt::format("{} has {} numbers; expected {} or none", key, value.size(), kCoverageLevels));
    }
  }
  template <typename Value>
  void operator()(const char* key, Value& value) const {
    json.at(key).get_to(value);
  }
  void operator()(const char* key, auto& value, const auto& names) const {
    value = ValueOf(names, json.at(key).get<std::string>(), key);
  }
};

auto Settings(const SuiteResult& result) {
  return std::tie(result.model, result.model_sha256, result.backend, result.overlap, result.mirror);
}

}  // namespace

bool HaveSameSettings(const SuiteResult& a, const SuiteResult& b) {
  return Settings(a) == Settings(b);
}

std::string SettingsText(const SuiteResult& result) {
  return fmt::format("{}{}{:.12}, {}, overlap {}{}", result.model, result.model_sha256.empty() ? "" : " ",
                     result.model_sha256, result.backend, result.overlap, result.mirror ? ", mirror" : "");
}

void WriteSuiteResult(const SuiteResult& result, const std::filesystem::path& path) {
  Json json;
  VisitOwn(result, Writer{json});
  if (result.design) VisitDesign(*result.design, Writer{json["design"]});
  VisitScores(result.scores, Writer{json["scores"]});
  VisitScores(result.zero, Writer{json["zero_motion"]});
  VisitScores(result.constant, Writer{json["constant_motion"]});
  VisitCalibration(result.calibration, Writer{json["calibration"]});
  VisitPoseCalibration(result.pose_calibration, Writer{json["pose_calibration"]});
  WriteFileAtomically(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

SuiteResult ReadSuiteResult(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream) throw Error(path.string() + ": cannot read it");
  SuiteResult result;
  try {
    const auto json = nlohmann::json::parse(stream);  // finds keys faster than what keeps their order
    VisitOwn(result, Reader{json});
    if (json.contains("design")) VisitDesign(result.design.emplace(), Reader{json.at("design")});
    VisitScores(result.scores, Reader{json.at("scores")});
    VisitScores(result.zero, Reader{json.at("zero_motion")});
    VisitScores(result.constant, Reader{json.at("constant_motion")});
    VisitCalibration(result.calibration, Reader{json.at("calibration")});
    VisitPoseCalibration(result.pose_calibration, Reader{json.at("pose_calibration")});
  } catch (const std::exception& error) {
    throw Error(
        fmt::format("{}: {}; remove the file to run the sequence again", path.string(), error.what()));
  }
  return result;
}

}  // namespace calfvo
