// SPDX-License-Identifier: Apache-2.0
#include "commands/run/run_report.h"
#include "commands/run/run_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "calfvo/version.h"
#include "core/base/quoted.h"
#include "core/trajectory/camera_file.h"
#include "eval/metrics/evaluation_text.h"

namespace calfvo {
namespace {

using Json = nlohmann::ordered_json;

Json OptionsJson(const RunOptions& options) {
  Json json = {{"model", options.model},          {"backend", options.backend},
               {"precision", options.precision},  {"threads", options.threads},
               {"overlap", options.overlap},      {"live", options.live},
               {"stride", options.source.stride}, {"start_s", options.source.start_s}};
  if (options.flip) json["flip"] = true;
  if (options.refine) {
    json["refine"] = {{"loops", options.refine->loops && !options.live}};
    if (options.refine->focal_px) json["refine"]["focal_px"] = *options.refine->focal_px;
    if (options.refine->fov_deg) json["refine"]["fov_deg"] = *options.refine->fov_deg;
    if (options.refine->camera_height_m) json["refine"]["camera_height_m"] = *options.refine->camera_height_m;
    if (const auto& distance = options.refine->distance)
      json["refine"]["distance"] = {distance->first_s, distance->second_s, distance->metres};
  }
  if (!options.mask.empty()) json["mask"] = Printable(options.mask);
  if (options.source.end_s) json["end_s"] = *options.source.end_s;
  if (options.source.rate) json["fps"] = FrameRateText(*options.source.rate);
  if (!options.source.topic.empty()) json["topic"] = options.source.topic;
  if (options.source.stream >= 0) json["stream"] = options.source.stream;
  if (!options.ground_truth.empty()) json["max_diff_s"] = options.max_diff_s;
  return json;
}

Json ModelJson(const RunReport& report) {
  return {{"name", report.model}, {"sha256", report.model_sha256}};
}

// A member of an object that may be none, or of another version.
Json Member(const Json& json, const char* name) {
  return json.is_object() ? json.value(name, Json()) : Json();
}

std::string SettingText(const Json& value) {
  if (value.is_null()) return "not given";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "tiny 0123456789ab"
std::string ModelText(const Json& model) {
  const std::string name = SettingText(Member(model, "name"));
  const Json hash = Member(model, "sha256");
  const std::string digits = hash.is_string() ? hash.get<std::string>() : "";
  return digits.empty() ? name : fmt::format("{} {:.12}", name, digits);
}

Json RefineJson(const RefineSummary& refine) {
  const Camera& camera = refine.camera;
  return {{"accepted_share", refine.accepted_share},
          {"focal_px", camera.focal_px},
          {"focal_sigma_px", camera.focal_sigma_px},
          {"focal_origin", CameraOriginName(camera.origin)},
          {"principal_point", {camera.principal_point.x(), camera.principal_point.y()}},
          {"principal_point_sigma", {camera.principal_point_sigma.x(), camera.principal_point_sigma.y()}},
          {"readout_frames", camera.readout_frames},
          {"readout_sigma_frames", camera.readout_sigma_frames},
          {"distortion", camera.k1},
          {"distortion_sigma", camera.k1_sigma},
          {"scale", refine.scale},
          {"scale_sigma", refine.scale_sigma},
          {"warnings", refine.warnings},
          {"tracks_per_frame", refine.tracks_per_frame},
          {"keyframes", refine.keyframes},
          {"points", refine.points.size()},
          {"loops", refine.loops.size()},
          {"seconds", refine.seconds}};
}

Json DamagesJson(const RunReport& report) {
  Json list = Json::array();
  for (const auto& [frame, damage] : report.damages) list.push_back({{"frame", frame}, {"damage", damage}});
  return list;
}

Json FilesJson(const RunReport& report) {
  Json files = Json::object();
  for (const auto& [file, content] : report.files) files[file] = RecordJson(content);
  return files;
}

std::string Frames(int64_t count) {
  return fmt::format("{} frame{}", count, count == 1 ? "" : "s");
}

// 83.5 s as 1:23.5
std::string DurationText(double seconds) {
  const auto tenths = static_cast<int64_t>(std::llround(10.0 * seconds));  // or 59.96 s would become 60.0
  const int64_t minutes = tenths / 600;
  const double rest = 0.1 * static_cast<double>(tenths % 600);
  return minutes > 0 ? fmt::format("{}:{:04.1f} min", minutes, rest) : fmt::format("{:.1f} s", rest);
}

}  // namespace

std::string RunReportJson(const RunReport& report) {
  Json json = {{"version", CALFVO_VERSION},
               {"input", report.input},
               {"source", report.source},
               {"model", ModelJson(report)},
               {"backend", report.backend},
               {"options", OptionsJson(report.options)},
               {"frames", report.frames},
               {"poses", report.poses},
               {"dropped", report.dropped},
               {"damaged", report.damaged},
               {"damages", DamagesJson(report)},
               {"interrupted", report.interrupted},
               {"latency_frames", report.latency_frames},
               {"width", report.width},
               {"height", report.height},
               {"duration_s", report.duration_s},
               {"path_length_m", report.path_length_m},
               {"fps", report.fps()},
               {"load_s", report.load_s},
               {"wall_s", report.wall_s},
               {"peak_rss_mb", report.peak_rss_mb},
               {"stages",
                {{"decode", report.stages.decode_s},
                 {"preprocess", report.stages.preprocess_s},
                 {"encode", report.stages.encode_s},
                 {"window", report.stages.window_s},
                 {"fuse", report.stages.fuse_s},
                 {"write", report.stages.write_s}}},
               {"outputs", report.outputs},
               {"files", FilesJson(report)}};
  if (const std::string bytes = InputBytes(report.input); !bytes.empty()) json["input_bytes"] = bytes;
  if (!report.input_state.empty()) json["input_state"] = report.input_state;
  if (report.mean_sigma_translation_m) {
    json["mean_sigma"] = {{"translation_m", *report.mean_sigma_translation_m},
                          {"rotation_deg", *report.mean_sigma_rotation_deg}};
  }
  if (report.refine) json["refine"] = RefineJson(*report.refine);
  if (report.evaluation) json["eval"] = Json::parse(EvaluationJson(*report.evaluation));
  if (!report.evaluation_error.empty()) json["eval_error"] = report.evaluation_error;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string EvaluationErrorText(const RunReport& report) {
  return fmt::format("{}: {}",
                     report.evaluation ? "was estimated and evaluated, but the report of that failed"
                                       : "was estimated but not evaluated",
                     report.evaluation_error);
}

bool InputHasChanged(const std::string& run_json, const std::string& input_state) {
  const Json held = Member(Json::parse(run_json), "input_state");
  return held.is_string() && !input_state.empty() && held != input_state;
}

std::string DifferentSettings(const std::string& run_json, const RunReport& wanted) {
  const Json held = Json::parse(run_json);
  std::vector<std::string> differences;
  const auto compare = [&](const char* what, const Json& before, const Json& now, const auto& text) {
    if (before != now) differences.push_back(fmt::format("{} {}, now {}", what, text(before), text(now)));
  };
  compare("model", Member(held, "model"), ModelJson(wanted), ModelText);
  const Json options = OptionsJson(wanted.options);
  for (const char* name : {"backend", "precision", "overlap", "flip", "refine", "stride", "start_s", "end_s",
                           "fps", "stream", "topic"}) {
    compare(name, Member(Member(held, "options"), name), Member(options, name), SettingText);
  }
  const Json outputs = Member(held, "outputs");
  for (const std::string& name : wanted.options.exports.formats) {
    if (!outputs.contains(name)) differences.push_back("no " + name);
  }
  return fmt::format("{}", fmt::join(differences, "; "));
}

std::string RunReportText(const RunReport& report) {
  std::string text = fmt::format("{}, {}, path {:.4g} m\n", Frames(report.frames),
                                 DurationText(report.duration_s), report.path_length_m);
  if (report.mean_sigma_translation_m) {
    text += fmt::format("σ of relative poses: {:.2g} m, {:.2g}° on average\n",
                        *report.mean_sigma_translation_m, *report.mean_sigma_rotation_deg);
  }
  text += fmt::format("{:.1f} frames/s, {} on {}\n", report.fps(), Printable(report.model), report.backend);
  if (report.refine) {
    const Camera& camera = report.refine->camera;
    text += fmt::format("refined: {:.0f} % of the relative poses, {} points, {} loop closures; ",
                        100.0 * report.refine->accepted_share, report.refine->points.size(),
                        report.refine->loops.size());
    text += camera.origin == CameraOrigin::kGuess
                ? "the focal length is not observable\n"
                : fmt::format("focal length {:.0f} ± {:.0f} px\n", camera.focal_px, camera.focal_sigma_px);
  }
  if (report.refine && report.refine->scale != 1.0)
    text += fmt::format("path scaled by {:.3g} to the given length\n", report.refine->scale);
  if (report.interrupted) text += "stopped early: the rest of the input was not read\n";
  if (report.damaged == 1) {
    text += fmt::format("frame {} is damaged: {}\n", report.damages[0].first,
                        Printable(report.damages[0].second));
  } else if (report.damaged > 1) {
    text += fmt::format("{} damaged frames, the first is {}: {}\n", report.damaged, report.damages[0].first,
                        Printable(report.damages[0].second));
  }
  if (report.dropped > 0)
    text += fmt::format("{} came too fast and {} dropped\n", Frames(report.dropped),
                        report.dropped == 1 ? "was" : "were");
  text += '\n';
  for (const auto& [what, path] : report.outputs) text += fmt::format("{:<12} {}\n", what, Printable(path));
  if (report.evaluation) text += '\n' + EvaluationText(*report.evaluation);
  return text;
}

}  // namespace calfvo
