// SPDX-License-Identifier: Apache-2.0
#include "eval/metrics/evaluation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "eval/metrics/statistics.h"
#include "eval/metrics/table.h"

namespace calfvo {
namespace {

using Json = nlohmann::ordered_json;

Json ToJson(const Statistics& statistics) {
  return {{"rmse", statistics.rmse}, {"mean", statistics.mean}, {"median", statistics.median},
          {"std", statistics.std},   {"min", statistics.min},   {"max", statistics.max}};
}

Json ToJson(const RelativeError& error) {
  return {{"t_rel", error.t_rel_m}, {"r_rel", error.r_rel_deg}};
}

struct AttributionColumn {
  const char* heading;
  const char* json_key;
  double Attribution::*ate_m;
};

constexpr std::array<AttributionColumn, 6> kAttributionColumns = {{
    {"nothing", "ate_as_is", &Attribution::nothing_m},
    {"scale", "ate_perfect_scale", &Attribution::scale_m},
    {"length", "ate_perfect_length", &Attribution::length_m},
    {"direction", "ate_perfect_direction", &Attribution::direction_m},
    {"translation", "ate_perfect_translation", &Attribution::translation_m},
    {"rotation", "ate_perfect_rotation", &Attribution::rotation_m},
}};

Json ToJson(const Evaluation& evaluation) {
  Json json = {
      {"pairs", evaluation.pairs.size()},
      {"align", AlignmentName(evaluation.alignment)},
      {"scale", evaluation.reference_from_estimate.scale},
      {"t_rel", evaluation.t_rel_m},
      {"r_rel", evaluation.r_rel_deg},
      {"zero_motion", ToJson(evaluation.zero_motion)},
      {"constant_motion", ToJson(evaluation.constant_motion)},
      {"ape_trans", ToJson(evaluation.ape_trans)},
      {"ape_rot_deg", ToJson(evaluation.ape_rot)},
      {"rpe_trans", ToJson(evaluation.rpe_trans)},
      {"rpe_rot_deg", ToJson(evaluation.rpe_rot)},
      {"fitted_scale", evaluation.fitted_scale},
      {"alignment_is_unique", evaluation.alignment_is_unique},
      {"reference_poses", evaluation.reference_poses},
      {"estimate_poses", evaluation.estimate_poses},
      {"time_covered", evaluation.time_covered},
      {"ate_as_is", ToJson(evaluation.ate_as_is)},
      {"are_as_is_deg", ToJson(evaluation.are_as_is_deg)},
      {"kitti", nullptr},
  };
  if (evaluation.kitti.has_value()) {
    json["kitti"] = {{"translation_percent", evaluation.kitti->translation_percent},
                     {"rotation_deg_per_m", evaluation.kitti->rotation_deg_per_m},
                     {"segments", evaluation.kitti->segments}};
  }
  return json;
}

void AddAttribution(const std::optional<Attribution>& attribution, Json* json) {
  if (!attribution) return;
  Json parts = {{"limit", LimitingPart(*attribution)}, {"scale", attribution->scale}};
  for (const AttributionColumn& column : kAttributionColumns) {
    parts[column.json_key] = (*attribution).*column.ate_m;
  }
  (*json)["attribution"] = std::move(parts);
}

// Whole where it is; means of counts may have a tenth.
std::string FormatCount(double count) {
  return std::isnan(count) ? "-" : fmt::format("{}", std::round(10.0 * count) / 10.0);
}

// The columns of the table of sequences.
struct Column {
  const char* heading;
  const char* json_key;
  double (*value)(const Evaluation&);
  std::string (*format)(double) = FormatValue;
};

constexpr std::array<Column, 12> kColumns = {{
    {"t_rel m", "t_rel", [](const Evaluation& e) { return e.t_rel_m; }},
    {"0 t_rel", "zero_motion_t_rel", [](const Evaluation& e) { return e.zero_motion.t_rel_m; }},
    {"c t_rel", "constant_motion_t_rel", [](const Evaluation& e) { return e.constant_motion.t_rel_m; }},
    {"r_rel °", "r_rel", [](const Evaluation& e) { return e.r_rel_deg; }},
    {"0 r_rel", "zero_motion_r_rel", [](const Evaluation& e) { return e.zero_motion.r_rel_deg; }},
    {"c r_rel", "constant_motion_r_rel", [](const Evaluation& e) { return e.constant_motion.r_rel_deg; }},
    {"ATE m", "ape_trans_rmse", [](const Evaluation& e) { return e.ape_trans.rmse; }},
    {"ARE °", "ape_rot_deg_rmse", [](const Evaluation& e) { return e.ape_rot.rmse; }},
    {"ATE as is m", "ate_as_is_rmse", [](const Evaluation& e) { return e.ate_as_is.rmse; }},
    {"ARE as is °", "are_as_is_deg_rmse", [](const Evaluation& e) { return e.are_as_is_deg.rmse; }},
    {"scale", "fitted_scale", [](const Evaluation& e) { return e.fitted_scale; }},
    {"pairs", "pairs", [](const Evaluation& e) { return static_cast<double>(e.pairs.size()); }, FormatCount},
}};

double Average(std::span<const SequenceResult> results, const Column& column) {
  std::vector<double> values;
  for (const SequenceResult& result : results) {
    if (result.evaluation.has_value()) values.push_back(column.value(*result.evaluation));
  }
  return MeanOfKnown(values);
}

double Average(std::span<const SequenceResult> results, double Attribution::*ate_m) {
  std::vector<double> values;
  for (const SequenceResult& result : results) {
    if (result.attribution) values.push_back((*result.attribution).*ate_m);
  }
  return MeanOfKnown(values);
}

// Empty where no sequence has an attribution.
std::string AttributionsText(std::span<const SequenceResult> results) {
  std::vector<std::vector<std::string>> rows = {{"sequence"}};
  for (const AttributionColumn& column : kAttributionColumns) rows.front().emplace_back(column.heading);
  rows.front().emplace_back("limit");
  for (const SequenceResult& result : results) {
    if (!result.attribution) continue;
    rows.push_back({result.name});
    for (const AttributionColumn& column : kAttributionColumns) {
      rows.back().push_back(FormatValue((*result.attribution).*column.ate_m));
    }
    rows.back().push_back(LimitingPart(*result.attribution));
  }
  if (rows.size() == 1) return {};
  rows.push_back({"average"});
  for (const AttributionColumn& column : kAttributionColumns) {
    rows.back().push_back(FormatValue(Average(results, column.ate_m)));
  }
  rows.back().emplace_back("");
  return "\nATE as is in m, if one part of all relative poses were perfect\n" + FormatTable(rows);
}

size_t CountCompleted(std::span<const SequenceResult> results) {
  size_t completed = 0;
  for (const SequenceResult& result : results) completed += result.evaluation.has_value() ? 1 : 0;
  return completed;
}

}  // namespace

std::string EvaluationText(const Evaluation& evaluation) {
  std::string text =
      fmt::format("{} pair{} of {} reference and {} estimated poses, covering {:.1f} % of the reference\n",
                  evaluation.pairs.size(), evaluation.pairs.size() == 1 ? "" : "s",
                  evaluation.reference_poses, evaluation.estimate_poses, 100.0 * evaluation.time_covered);
  text += fmt::format(
      "alignment {}, scale applied {}, scale a Sim(3) fit gives {}\n\n", AlignmentName(evaluation.alignment),
      FormatValue(evaluation.reference_from_estimate.scale), FormatValue(evaluation.fitted_scale));
  std::vector<std::vector<std::string>> rows = {{"", "rmse", "mean", "median", "std", "min", "max"}};
  const auto add_row = [&](const char* name, const Statistics& s) {
    rows.push_back({name, FormatValue(s.rmse), FormatValue(s.mean), FormatValue(s.median), FormatValue(s.std),
                    FormatValue(s.min), FormatValue(s.max)});
  };
  add_row("APE translation, m", evaluation.ape_trans);
  add_row("APE rotation, °", evaluation.ape_rot);
  add_row("RPE translation, m/frame", evaluation.rpe_trans);
  add_row("RPE rotation, °/frame", evaluation.rpe_rot);
  add_row("ATE as is, m", evaluation.ate_as_is);
  add_row("ARE as is, °", evaluation.are_as_is_deg);
  text += FormatTable(rows);
  const auto relative_row = [](const char* name, const RelativeError& error) {
    return std::vector<std::string>{name, FormatValue(error.t_rel_m), FormatValue(error.r_rel_deg)};
  };
  text += '\n' + FormatTable({{"", "t_rel, m/frame", "r_rel, °/frame"},
                              relative_row("estimate", {evaluation.t_rel_m, evaluation.r_rel_deg}),
                              relative_row("static baseline", evaluation.zero_motion),
                              relative_row("constant-motion baseline", evaluation.constant_motion)});
  if (evaluation.kitti.has_value()) {
    text += fmt::format("\nKITTI segments: {} %, {} °/m over {} segments of 100 to 800 m\n",
                        FormatValue(evaluation.kitti->translation_percent),
                        FormatValue(evaluation.kitti->rotation_deg_per_m), evaluation.kitti->segments);
  }
  return text;
}

std::string SequencesText(std::span<const SequenceResult> results) {
  std::vector<std::vector<std::string>> rows = {{"sequence"}};
  for (const Column& column : kColumns) rows.front().emplace_back(column.heading);
  for (const SequenceResult& result : results) {
    rows.push_back({result.name});
    for (const Column& column : kColumns) {
      rows.back().push_back(result.evaluation.has_value() ? column.format(column.value(*result.evaluation))
                                                          : "failed");
    }
  }
  rows.push_back({"average"});
  for (const Column& column : kColumns) rows.back().push_back(column.format(Average(results, column)));
  std::string text = FormatTable(rows);
  text += fmt::format("\n0: static baseline. c: constant-motion baseline.\n{} of {} sequences completed\n",
                      CountCompleted(results), results.size());
  return text + AttributionsText(results);
}

std::string EvaluationJson(const Evaluation& evaluation, const std::optional<Attribution>& attribution) {
  Json json = ToJson(evaluation);
  AddAttribution(attribution, &json);
  return json.dump(2) + '\n';
}

std::string SequencesJson(std::span<const SequenceResult> results) {
  Json sequences = Json::array();
  for (const SequenceResult& result : results) {
    Json json = {{"name", result.name}};
    if (result.evaluation.has_value()) {
      json.update(ToJson(*result.evaluation));
      AddAttribution(result.attribution, &json);
    } else {
      json["error"] = result.error;
    }
    sequences.push_back(std::move(json));
  }
  Json average = Json::object();
  for (const Column& column : kColumns) average[column.json_key] = Average(results, column);
  const bool attributed = std::any_of(results.begin(), results.end(), [](const SequenceResult& result) {
    return result.attribution.has_value();
  });
  if (attributed) {
    for (const AttributionColumn& column : kAttributionColumns) {
      average["attribution"][column.json_key] = Average(results, column.ate_m);
    }
  }
  const Json json = {{"sequences", sequences}, {"average", average}, {"completed", CountCompleted(results)}};
  // File names may hold bytes that are not UTF-8; they are replaced rather than refused.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace calfvo
