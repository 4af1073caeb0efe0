// SPDX-License-Identifier: Apache-2.0
#include "run/run_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "calfvo/version.h"
#include "eval/evaluation_text.h"

namespace calfvo {
namespace {

using Json = nlohmann::ordered_json;

Json OptionsJson(const RunOptions& options) {
  Json json = {{"model", options.model},          {"backend", options.backend},
               {"precision", options.precision},  {"threads", options.threads},
               {"overlap", options.overlap},      {"live", options.live},
               {"stride", options.source.stride}, {"start_s", options.source.start_s}};
  if (options.mirror) json["mirror"] = true;
  if (options.source.end_s) json["end_s"] = *options.source.end_s;
  if (options.source.rate) json["fps"] = FrameRateText(*options.source.rate);
  if (options.source.stream >= 0) json["stream"] = options.source.stream;
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

Json DamagesJson(const RunReport& report) {
  Json list = Json::array();
  for (const auto& [frame, damage] : report.damages) list.push_back({{"frame", frame}, {"damage", damage}});
  return list;
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
               {"outputs", report.outputs}};
  if (report.mean_sigma_translation_m) {
    json["mean_sigma"] = {{"translation_m", *report.mean_sigma_translation_m},
                          {"rotation_deg", *report.mean_sigma_rotation_deg}};
  }
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

std::string DifferentSettings(const std::string& run_json, const RunReport& wanted) {
  const Json held = Json::parse(run_json);
  std::vector<std::string> differences;
  const auto compare = [&](const char* what, const Json& before, const Json& now, const auto& text) {
    if (before != now) differences.push_back(fmt::format("{} {}, now {}", what, text(before), text(now)));
  };
  compare("model", Member(held, "model"), ModelJson(wanted), ModelText);
  const Json options = OptionsJson(wanted.options);
  for (const char* name :
       {"backend", "precision", "overlap", "mirror", "stride", "start_s", "end_s", "fps", "stream"}) {
    compare(name, Member(Member(held, "options"), name), Member(options, name), SettingText);
  }
  const Json outputs = Member(held, "outputs");
  if (wanted.options.npz && !outputs.contains("npz")) differences.emplace_back("no npz");
  if (wanted.options.colmap && !outputs.contains("colmap")) differences.emplace_back("no colmap");
  return fmt::format("{}", fmt::join(differences, "; "));
}

std::string RunReportText(const RunReport& report) {
  std::string text = fmt::format("{}, {}, path {:.4g} m\n", Frames(report.frames),
                                 DurationText(report.duration_s), report.path_length_m);
  if (report.mean_sigma_translation_m) {
    text += fmt::format("each step known to {:.2g} m and {:.2g}° (mean standard deviation)\n",
                        *report.mean_sigma_translation_m, *report.mean_sigma_rotation_deg);
  }
  text += fmt::format("{:.1f} frames/s, {} on {}\n", report.fps(), report.model, report.backend);
  if (report.interrupted) text += "stopped early: the rest of the input was not read\n";
  if (report.damaged == 1) {
    text += fmt::format("frame {} is damaged: {}\n", report.damages[0].first, report.damages[0].second);
  } else if (report.damaged > 1) {
    text += fmt::format("{} damaged frames, the first is {}: {}\n", report.damaged, report.damages[0].first,
                        report.damages[0].second);
  }
  if (report.dropped > 0)
    text += fmt::format("{} came too fast and {} dropped\n", Frames(report.dropped),
                        report.dropped == 1 ? "was" : "were");
  text += '\n';
  for (const auto& [what, path] : report.outputs) text += fmt::format("{:<12} {}\n", what, path);
  if (report.evaluation) text += '\n' + EvaluationText(*report.evaluation);
  return text;
}

}  // namespace calfvo
