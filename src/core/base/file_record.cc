// SPDX-License-Identifier: Apache-2.0
#include "core/base/file_record.h"

#include <nlohmann/json.hpp>
#include <system_error>

#include "core/base/sha256.h"

namespace calfvo {

namespace fs = std::filesystem;

FileRecord RecordOf(const fs::path& path) {
  FileRecord record{.sha256 = Sha256OfFile(path)};
  std::error_code error;
  record.bytes = fs::file_size(path, error);
  return record;
}

bool HasContent(const fs::path& path, const FileRecord& record) {
  if (TypeOf(path) != fs::file_type::regular) return false;
  std::error_code error;
  const uintmax_t bytes = fs::file_size(path, error);
  return !error && bytes == record.bytes && RecordOf(path) == record;
}

fs::file_type TypeOf(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type();
}

bool Exists(const fs::path& path) {
  const fs::file_type type = TypeOf(path);
  return type != fs::file_type::not_found && type != fs::file_type::none;
}

nlohmann::ordered_json RecordJson(const FileRecord& record) {
  return {{"bytes", record.bytes}, {"sha256", record.sha256}};
}

std::optional<FileRecord> RecordFromJson(const nlohmann::ordered_json& json) {
  if (!json.is_object() || !json.contains("bytes") || !json.contains("sha256")) return {};
  if (!json["bytes"].is_number_unsigned() || !json["sha256"].is_string()) return {};
  return FileRecord{json["bytes"], json["sha256"]};
}

}  // namespace calfvo
