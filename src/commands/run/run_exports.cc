// SPDX-License-Identifier: Apache-2.0
#include "commands/run/run_exports.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "calfvo/error.h"
#include "commands/run/evaluated_run.h"
#include "commands/run/run_folder.h"
#include "commands/run/run_input.h"

namespace calfvo {
namespace {

// The library would convert other numbers without a check.
bool FitsInt(const nlohmann::json& value) {
  using Limits = std::numeric_limits<int>;
  if (value.is_number_unsigned()) return value.get<uint64_t>() <= Limits::max();
  return value.is_number_integer() && value.get<int64_t>() >= Limits::min();
}

// run.json may come from anyone.
template <typename T>
T MemberOr(const nlohmann::json& object, const char* key, T otherwise) {
  if (!object.is_object() || !object.contains(key)) return otherwise;
  const nlohmann::json& value = object[key];
  try {
    if (!std::is_same_v<T, int> || FitsInt(value)) return value.get<T>();
  } catch (const nlohmann::json::exception&) {
  }
  throw Error(fmt::format("run.json: '{}' has an unexpected type or value", key));
}

// The options that OptionsJson (run_report.cc) wrote.
SourceOptions SourceOptionsOf(const nlohmann::json& run) {
  const nlohmann::json options = MemberOr(run, "options", nlohmann::json());
  SourceOptions source;
  source.stride = MemberOr(options, "stride", 1);
  source.start_s = MemberOr(options, "start_s", 0.0);
  if (options.is_object() && options.contains("end_s")) source.end_s = MemberOr(options, "end_s", 0.0);
  if (const auto rate = MemberOr(options, "fps", std::string()); !rate.empty()) {
    source.rate = ParseFrameRate(rate);
  }
  source.topic = MemberOr(options, "topic", std::string());
  source.stream = MemberOr(options, "stream", -1);
  return source;
}

}  // namespace

void CheckExports(const std::string& input, const ExportOptions& options) {
  options.Validate();
  if (options.images && !CanBeReadAgain(input)) {
    throw Error(fmt::format("{}: cannot be read again, so --images has none to export", input));
  }
}

std::map<std::string, std::string> WriteRunExports(const RunToExport& run,
                                                   const std::filesystem::path& folder,
                                                   const ExportOptions& options) {
  if (options.formats.empty()) return {};
  ExportedRun exported = ReadExportedRun(folder, run.width, run.height, run.refined);
  exported.open_frames = [&] { return OpenInput(run.input, run.source); };
  return WriteExports(exported, options, folder);
}

std::map<std::string, std::string> ExportRunFolder(const std::filesystem::path& folder,
                                                   const ExportOptions& options, bool overwrite) {
  options.Validate();
  RunFolderUpdate update(folder, ExportFiles(options),
                         ExportFiles({.formats = options.formats, .images = true}), overwrite);
  CheckExports(update.input(), options);
  const auto json = nlohmann::json::parse(update.run_json());
  const auto outputs = WriteRunExports({.input = update.input(),
                                        .source = SourceOptionsOf(json),
                                        .width = MemberOr(json, "width", 0),
                                        .height = MemberOr(json, "height", 0),
                                        .refined = json.contains("refine")},
                                       folder, options);
  update.Finish(outputs);
  return outputs;
}

}  // namespace calfvo
