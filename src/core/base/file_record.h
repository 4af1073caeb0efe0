// SPDX-License-Identifier: Apache-2.0
// Size and hash of a file, by which calfvo recognises what it wrote.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace calfvo {

struct FileRecord {
  uintmax_t bytes = 0;
  std::string sha256;

  bool operator==(const FileRecord&) const = default;
};

// Of a regular file; throws Error when it cannot be read.
FileRecord RecordOf(const std::filesystem::path& path);

// Whether `path` is a regular file, no link, with the content of `record`. Throws Error when it cannot be
// read.
bool HasContent(const std::filesystem::path& path, const FileRecord& record);

// A link counts as itself.
std::filesystem::file_type TypeOf(const std::filesystem::path& path);
bool Exists(const std::filesystem::path& path);

// {"bytes": 12, "sha256": "…"}. Nothing for other JSON.
nlohmann::ordered_json RecordJson(const FileRecord& record);
std::optional<FileRecord> RecordFromJson(const nlohmann::ordered_json& json);

}  // namespace calfvo
