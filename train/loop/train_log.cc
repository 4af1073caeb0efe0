// SPDX-License-Identifier: Apache-2.0
#include "loop/train_log.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "calfvo/error.h"
#include "core/base/atomic_file.h"

namespace calfvo::train {
namespace {

using Json = nlohmann::ordered_json;

struct ScoreField {
  const char* name;
  double MotionScores::*member;
};
constexpr ScoreField kScores[] = {
    {"t_rel", &MotionScores::t_rel},
    {"r_rel", &MotionScores::r_rel},
    {"zero_t_rel", &MotionScores::zero_t_rel},
    {"zero_r_rel", &MotionScores::zero_r_rel},
    {"constant_t_rel", &MotionScores::constant_t_rel},
    {"constant_r_rel", &MotionScores::constant_r_rel},
    {"scale_ratio", &MotionScores::scale_ratio},
    {"cosine", &MotionScores::cosine},
    {"within_t", &MotionScores::within_t},
    {"within_r", &MotionScores::within_r},
};

struct TrainField {
  const char* name;
  double TrainRecord::*member;
};
constexpr TrainField kTrain[] = {
    {"elapsed_s", &TrainRecord::elapsed_s},
    {"learning_rate", &TrainRecord::learning_rate},
    {"loss", &TrainRecord::loss},
    {"rotation_deg", &TrainRecord::rotation_deg},
    {"translation_m", &TrainRecord::translation_m},
    {"motion", &TrainRecord::motion},
    {"gradient_norm", &TrainRecord::gradient_norm},
    {"windows_per_s", &TrainRecord::windows_per_s},
};

// JSON has no NaN: nlohmann writes null for it.
double NumberAt(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

TrainRecord TrainFrom(const Json& json) {
  TrainRecord record;
  record.step = json.at("step");
  for (const TrainField& field : kTrain) record.*field.member = NumberAt(json, field.name);
  record.skipped = json.at("skipped");
  return record;
}

HeldOutRecord HeldOutFrom(const Json& json) {
  HeldOutRecord record;
  record.step = json.at("step");
  record.elapsed_s = NumberAt(json, "elapsed_s");
  record.score = NumberAt(json, "score");
  for (const auto& [name, scores] : json.at("sets").items()) {
    record.sets.push_back({name, {}});
    for (const ScoreField& field : kScores)
      record.sets.back().scores.*field.member = NumberAt(scores, field.name);
  }
  return record;
}

}  // namespace

std::string ToJsonLine(const TrainRecord& record) {
  Json json = {{"kind", "train"}, {"step", record.step}};
  for (const TrainField& field : kTrain) json[field.name] = record.*field.member;
  json["skipped"] = record.skipped;
  return json.dump();
}

std::string ToJsonLine(const HeldOutRecord& record) {
  Json sets = Json::object();
  for (const HeldOutRecord::Set& set : record.sets) {
    Json scores;
    for (const ScoreField& field : kScores) scores[field.name] = set.scores.*field.member;
    sets[set.name] = std::move(scores);
  }
  const Json json = {{"kind", "held_out"},
                     {"step", record.step},
                     {"elapsed_s", record.elapsed_s},
                     {"score", record.score},
                     {"sets", std::move(sets)}};
  return json.dump();
}

TrainLog::TrainLog(std::filesystem::path path, int64_t steps_done) : path_(std::move(path)) {
  if (path_.empty()) return;
  std::string kept;
  if (steps_done > 0) {
    std::ifstream stream(path_);
    int64_t number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      if (stream.eof()) break;  // no line ending: cut short
      try {
        const Json json = Json::parse(line);
        if (json.at("step").get<int64_t>() > steps_done) continue;
        if (json.at("kind") == "train") {
          train_.push_back(TrainFrom(json));
        } else {
          held_out_.push_back(HeldOutFrom(json));
        }
        kept += line + "\n";
      } catch (const nlohmann::json::exception& error) {
        throw Error(fmt::format("{}:{}: not a line of a training log ({}); remove it to go on",
                                path_.string(), number, error.what()));
      }
    }
  }
  WriteFileAtomically(path_, kept);
}

void TrainLog::Add(const TrainRecord& record) {
  train_.push_back(record);
  Append(ToJsonLine(record));
}

void TrainLog::Add(const HeldOutRecord& record) {
  held_out_.push_back(record);
  Append(ToJsonLine(record));
}

void TrainLog::Append(const std::string& line) const {
  if (path_.empty()) return;
  std::ofstream stream(path_, std::ios::app);
  stream << line << "\n";
  if (!stream.flush()) throw Error(path_.string() + ": cannot write the log");
}

}  // namespace calfvo::train
