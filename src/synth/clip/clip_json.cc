// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/clip_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "synth/clip/option_fields.h"

namespace calfvo {
namespace {

using Json = nlohmann::ordered_json;

// A float as the shortest decimal number that is it, rather than its digits as a double.
double Shortest(float value) {
  if (!std::isfinite(value)) return value;
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(value));
  for (int digits = 1; digits < 9; ++digits) {
    char shorter[32];
    std::snprintf(shorter, sizeof(shorter), "%.*g", digits, static_cast<double>(value));
    if (std::strtof(shorter, nullptr) == value) return std::strtod(shorter, nullptr);
  }
  return std::strtod(text, nullptr);
}

template <typename Options>
Json FieldsJson(std::span<const FloatField<Options>> fields, const Options& options) {
  Json json;
  for (const auto& field : fields) json[field.name] = Shortest(options.*field.member);
  return json;
}

// Names of files need not be UTF-8; JSON must be.
std::string Text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json DrawnEffects(const Clip& clip) {
  const synth::WindowEffects& e = clip.effects();
  Json json;
  json["readout_s"] = Shortest(e.readout_s);
  json["exposure_s"] = Shortest(e.exposure_s);
  json["metered_gain"] = e.target > 0.0F ? Json(Shortest(e.metered_gain)) : Json(nullptr);
  json["gain"] = Shortest(e.gain);
  json["exposure_drift_stops_per_frame"] = Shortest(e.drift);
  json["exposure_step_stops"] = Shortest(e.step);
  json["exposure_step_frame"] = e.step == 0.0F ? Json(nullptr) : Json(e.step_frame);
  json["vignetting"] = Shortest(e.vignetting);
  json["noise_grey_levels"] = Shortest(e.noise);
  json["grey"] = e.grey != 0;
  json["jpeg_quality"] = e.jpeg_quality == 0 ? Json(nullptr) : Json(e.jpeg_quality);
  json["gamma"] = Shortest(e.gamma);
  json["tone_curve"] = nullptr;
  if (e.curve.steepness > 0.0F) {
    json["tone_curve"] = {{"steepness", Shortest(e.curve.steepness)}, {"middle", Shortest(e.curve.middle)}};
  }
  json["sharpness"] = Shortest(e.sharpness);
  json["color_balance"] = {Shortest(e.balance.x), Shortest(e.balance.y), Shortest(e.balance.z)};
  return json;
}

}  // namespace

std::string CameraJson(const Clip& clip, double depth_scale) {
  const CameraModel& camera = clip.camera();
  Json json;
  json["model"] = "pinhole_radial2";
  json["width"] = camera.width;
  json["height"] = camera.height;
  json["fx"] = Shortest(camera.fx);
  json["fy"] = Shortest(camera.fy);
  json["cx"] = Shortest(camera.cx);
  json["cy"] = Shortest(camera.cy);
  json["k1"] = Shortest(camera.k1);
  json["k2"] = Shortest(camera.k2);
  json["fps"] = FrameRateText(clip.options().rate);
  json["readout_s"] = Shortest(clip.effects().readout_s);
  json["exposure_s"] = Shortest(clip.effects().exposure_s);
  json["depth_units_per_metre"] = depth_scale;
  return Text(json);
}

std::string ClipJson(const Clip& clip, const std::string& preset, const std::string& version) {
  const ClipOptions& o = clip.options();
  Json json;
  json["program"] = "calfvo synth";
  json["version"] = version;
  json["scene"] = SceneKindName(clip.scene());
  json["motion"] = o.trajectories.empty() ? motion::MotionKindName(clip.motion()) : "recorded";
  json["seed"] = o.seed;
  json["frames"] = o.frames;
  json["fps"] = FrameRateText(o.rate);
  json["width"] = o.width;
  json["height"] = o.height;
  json["samples"] = o.samples;
  if (o.movers > 0.0) json["movers"] = o.movers;
  json["preset"] = preset.empty() ? Json(nullptr) : Json(preset);
  json["textures"] = o.textures.empty() ? Json(nullptr) : Json(o.textures.string());
  json["trajectories"] = o.trajectories.empty() ? Json(nullptr) : Json(o.trajectories.string());
  json["path_length_m"] = PathLength(clip.path());
  json["camera"] = FieldsJson(SensorFields(), o.sensor);
  json["camera"]["square_pixels"] = o.square_pixels;
  json["effects"] = FieldsJson(EffectFields(), o.effects);
  json["effects"]["blur_samples"] = o.effects.blur_samples;
  json["recorded"] = FieldsJson(SegmentFields(), o.segments);
  json["drawn"] = DrawnEffects(clip);
  return Text(json);
}

}  // namespace calfvo
