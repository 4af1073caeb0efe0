// SPDX-License-Identifier: Apache-2.0
#include "commands/run/run_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "commands/run/refine_outputs.h"
#include "commands/run/run_input.h"
#include "core/base/bounded_json.h"
#include "core/base/sha256.h"
#include "io/export/exports.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Every file that a run or a suite may write, but these two and those of exports and refinement. A record
// that names others is not believed.
constexpr std::array kNames = {"trajectory.tum",
                               "trajectory.kitti",
                               "poses.csv",
                               "path.png",
                               "path.svg",
                               "uncertainty.png",
                               "uncertainty.svg",
                               "report/report.html",
                               "report/largest-errors.png",
                               "report/path.png",
                               "report/path.svg",
                               "report/position.png",
                               "report/position.svg",
                               "report/orientation.png",
                               "report/orientation.svg",
                               "report/errors.png",
                               "report/errors.svg",
                               "groundtruth.tum",
                               "view.html"};

bool IsKnownName(const std::string& file) {
  static const std::vector<std::string> exports = AllExportFiles();
  static const std::vector<std::string> refined = RefineOutputs::Files();
  const auto is_in = [&](const auto& names) {
    return std::find(names.begin(), names.end(), file) != names.end();
  };
  return is_in(kNames) || is_in(exports) || is_in(refined);
}

Json ParseRunJson(const fs::path& path) {
  return Json::parse(ReadBoundedJson(path).text, nullptr, /*allow_exceptions=*/false);
}

// Adds what `name` states; nothing if no run wrote it.
void AddRecord(const fs::path& folder, const char* name, std::optional<RunRecord>& record) {
  const Json json = ParseRunJson(folder / name);
  if (!json.is_object() || !json.contains("files") || !json["files"].is_object()) return;
  const Json input = json.value("input", Json());
  if (!input.is_string()) return;
  if (!record) {
    const Json bytes = json.value("input_bytes", Json(""));
    record =
        RunRecord{.input = input, .input_bytes = bytes.is_string() ? bytes : "", .files = {}, .run_json = {}};
  }
  for (const auto& [file, content] : json["files"].items()) {
    if (IsKnownName(file)) record->files[file] = RecordFromJson(content);
  }
  if (name == std::string_view(kFinishedRun) && json.value("interrupted", Json()) == false)
    record->run_json = RunJsonText(json);
}

// Of a series: all bytes, and the hash of a list of names and hashes.
FileRecord ContentOf(const fs::path& folder, const std::string& file) {
  if (!IsImageSeries(file)) return RecordOf(folder / file);
  FileRecord content;
  std::string list;
  for (const fs::path& path : ExistingFiles(folder, file)) {
    content.bytes += fs::file_size(path);
    list += fmt::format("{} {}\n", path.filename().string(), Sha256OfFile(path));
  }
  Sha256 hash;
  hash.Add(list);
  content.sha256 = hash.Finish();
  return content;
}

}  // namespace

std::string RunRecord::InputText() const {
  std::string text;
  for (size_t i = 0; i + 1 < input_bytes.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(&input_bytes[i], &input_bytes[i] + 2, value, 16);
    text += static_cast<char>(value);
  }
  return input_bytes.empty() ? input : text;
}

bool RunRecord::IsOf(const std::string& of_input) const {
  const std::string absolute = AbsoluteInput(of_input);
  return input_bytes.empty() ? input == absolute : input_bytes == InputBytes(absolute);
}

std::optional<RunRecord> ReadRunRecord(const fs::path& folder, const std::vector<const char*>& names) {
  std::optional<RunRecord> record;
  for (const char* name : names) AddRecord(folder, name, record);
  return record;
}

std::optional<std::string> FinishedRun(const fs::path& folder, const std::string& input) {
  std::optional<RunRecord> record = ReadRunRecord(folder, {kFinishedRun});
  if (!record || !record->IsOf(input)) return {};
  try {
    for (const auto& [file, content] : record->files) {
      if (!content || !IsUnchanged(folder, file, *content)) return {};
    }
  } catch (const std::runtime_error&) {  // another run has just removed the file
    return {};
  }
  return std::move(record->run_json);
}

bool IsImageSeries(const std::string& file) {
  return file.ends_with(kSeriesEnding);
}

std::vector<fs::path> ExistingFiles(const fs::path& folder, const std::string& file) {
  std::vector<fs::path> paths;
  if (!IsImageSeries(file)) {
    if (Exists(folder / file)) paths.push_back(folder / file);
    return paths;
  }
  std::error_code ignored;  // none, or not a folder
  const fs::path series = folder / file.substr(0, file.size() - kSeriesEnding.size());
  for (const auto& entry : fs::directory_iterator(series, ignored)) {
    if (IsExportedImageName(entry.path().filename().string())) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::map<std::string, FileRecord> ContentsOf(const fs::path& folder, const std::vector<std::string>& files) {
  std::map<std::string, FileRecord> contents;
  for (const std::string& file : files) {
    if (!ExistingFiles(folder, file).empty()) contents.emplace(file, ContentOf(folder, file));
  }
  return contents;
}

bool IsUnchanged(const fs::path& folder, const std::string& file, const FileRecord& written) {
  if (!IsImageSeries(file)) return HasContent(folder / file, written);
  uintmax_t bytes = 0;
  std::error_code error;
  const std::vector<fs::path> paths = ExistingFiles(folder, file);
  for (const fs::path& path : paths) {
    if (TypeOf(path) != fs::file_type::regular) return false;
    bytes += fs::file_size(path, error);
    if (error) return false;
  }
  return !paths.empty() && bytes == written.bytes && ContentOf(folder, file) == written;
}

std::string RunJsonText(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string InputBytes(const std::string& input) {
  if (Json::parse(RunJsonText(input)) == input) return "";
  std::string digits;
  for (const char c : input) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return digits;
}

}  // namespace calfvo
