// SPDX-License-Identifier: Apache-2.0
// Pieces of a large file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace calfvo {

class RecordingFile {
 public:
  // Throws Error if it cannot be opened.
  explicit RecordingFile(const std::filesystem::path& path);

  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }

  // Fills `to` with the bytes from `offset` on. Throws Error where the file ends before them, and for over
  // Recording::kMaxChunkBytes.
  void Read(uint64_t offset, uint64_t count, std::string* to);

  // Throws Error: the file's name and `problem`.
  [[noreturn]] void Fail(std::string_view problem) const;

 private:
  const std::string name_;
  std::ifstream stream_;
  uint64_t size_ = 0;
};

}  // namespace calfvo
