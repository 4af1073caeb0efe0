// SPDX-License-Identifier: Apache-2.0
// What run.json and unfinished.json state of a run's input and files, and whether these files are still as
// the run wrote them. A file is a name relative to the run's folder; "images/*" is a series of numbered
// images (exports.h).
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file_record.h"

namespace calfvo {

inline constexpr const char* kFinishedRun = "run.json";
inline constexpr const char* kUnfinishedRun = "unfinished.json";

// What a folder's run.json and unfinished.json state.
struct RunRecord {
  std::string input;        // as it was given, with replaced bytes where it is not UTF-8
  std::string input_bytes;  // as InputBytes gives it
  // The files of the run. Those of a run that was killed have no record of their content.
  std::map<std::string, std::optional<FileRecord>> files;
  std::optional<std::string> run_json;  // of a run that was not interrupted

  // As it was given to the run, byte for byte.
  std::string InputText() const;
  bool IsOf(const std::string& of_input) const;
};

// What the files `names` of a folder state together, each overriding the ones before: what unfinished.json
// names may be half written, so that its content is unknown, whatever run.json holds. Nothing if no run wrote
// any of them.
std::optional<RunRecord> ReadRunRecord(const std::filesystem::path& folder,
                                       const std::vector<const char*>& names);

// The run.json of a complete run of this input in `folder`. Nothing if there is none, if it was interrupted,
// or if one of its files is missing or has changed.
std::optional<std::string> FinishedRun(const std::filesystem::path& folder, const std::string& input);

bool IsImageSeries(const std::string& file);
// What exists of `file`: itself, or the images of a series in the order of their names.
std::vector<std::filesystem::path> ExistingFiles(const std::filesystem::path& folder,
                                                 const std::string& file);
// The content of those of `files` that exist. Of a series: all bytes, and the hash of a list of names and
// hashes.
std::map<std::string, FileRecord> ContentsOf(const std::filesystem::path& folder,
                                             const std::vector<std::string>& files);
// Whether `file` is still what was written there.
bool IsUnchanged(const std::filesystem::path& folder, const std::string& file, const FileRecord& written);

// Indented, with replaced bytes where text is not UTF-8.
std::string RunJsonText(const nlohmann::ordered_json& json);
// An input that is not UTF-8, in hexadecimal digits: JSON cannot hold it. Empty for others.
std::string InputBytes(const std::string& input);

}  // namespace calfvo
