// SPDX-License-Identifier: Apache-2.0
#include "core/base/owned_files.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "calfvo/error.h"
#include "core/base/atomic_file.h"
#include "core/base/bounded_json.h"
#include "core/base/file_record.h"
#include "core/base/temporary_error.h"

namespace calfvo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kList = "calfvo-files.json";

// Without a record where writing has begun.
using FileList = std::map<std::string, std::optional<FileRecord>>;

std::optional<FileList> ParseList(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("files") || !json["files"].is_object()) return {};
  FileList list;
  for (const auto& [name, content] : json["files"].items()) {
    const std::optional<FileRecord> record = RecordFromJson(content);
    if (!record && !content.is_null()) return {};
    list[name] = record;
  }
  return list;
}

FileList ReadList(const fs::path& folder) {
  const fs::path path = folder / kList;
  if (!Exists(path)) return {};
  BoundedJson json;
  if (TypeOf(path) == fs::file_type::regular) json = ReadBoundedJson(path);
  if (auto list = ParseList(json.text)) return *std::move(list);
  throw Error(fmt::format(
      "{}: {}; expected the list of the files that calfvo wrote; move it away or choose another folder",
      path.string(), json.excess.empty() ? "is not a valid list" : json.excess));
}

void WriteList(const fs::path& folder, const FileList& list) {
  Json files = Json::object();
  for (const auto& [name, record] : list) files[name] = record ? RecordJson(*record) : Json();
  const Json json = {{"files", std::move(files)}};
  WriteFileAtomically(folder / kList, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

fs::path Made(fs::path folder) {
  MakeFolder(folder);
  return folder;
}

// The list, if it allows to write `names`.
FileList CheckedList(const fs::path& folder, const std::vector<std::string>& names) {
  FileList list = ReadList(folder);
  for (const std::string& name : names) {
    const fs::path path = folder / name;
    if (!Exists(path)) continue;
    const auto written = list.find(name);
    if (written == list.end()) {
      throw Error(fmt::format(
          "{}: already exists, and {} does not list it as written by calfvo; move it away or choose another "
          "folder",
          path.string(), kList));
    }
    if (written->second && !HasContent(path, *written->second)) {
      throw Error(fmt::format("{}: has changed since calfvo wrote it; move it away or choose another folder",
                              path.string()));
    }
  }
  return list;
}

}  // namespace

void CheckOwnedFiles(const fs::path& folder, const std::vector<std::string>& names) {
  CheckedList(folder, names);
}

OwnedFiles::OwnedFiles(fs::path folder, std::vector<std::string> names)
    : folder_(Made(std::move(folder))), names_(std::move(names)), lock_(folder_) {
  if (lock_.is_refused()) {
    throw TemporaryError(
        fmt::format("{}: another calfvo process is writing to this folder; wait for it, or choose another "
                    "folder",
                    folder_.string()));
  }
  FileList list = CheckedList(folder_, names_);
  RemoveStaleParts(folder_);
  for (const std::string& name : names_) list[name].reset();
  WriteList(folder_, list);
}

void OwnedFiles::Finish() const {
  FileList list = ReadList(folder_);
  for (const std::string& name : names_) {
    list.erase(name);
    if (Exists(folder_ / name)) list[name] = RecordOf(folder_ / name);
  }
  WriteList(folder_, list);
}

}  // namespace calfvo
