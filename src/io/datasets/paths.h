// SPDX-License-Identifier: Apache-2.0
// What lies at a path; false where that cannot be found out.
#pragma once

#include <filesystem>
#include <system_error>

namespace calfvo {

inline bool IsFile(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

inline bool IsFolder(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

}  // namespace calfvo
