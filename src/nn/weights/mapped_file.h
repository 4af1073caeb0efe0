// SPDX-License-Identifier: Apache-2.0
// A file as memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace calfvo {

// Maps a regular file for reading, and unmaps it when destroyed. Pages are read when touched, so opening is
// cheap whatever the size. Throws Error for a missing or unreadable file, for folders, pipes and devices, and
// for files larger than the address space. An empty file is an empty span.
//
// The mapping follows the file: should another program cut it short while it is mapped, touching the lost
// part ends the process (SIGBUS). Replacing a file by rename, as this project does, is harmless.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  const std::string& name() const { return name_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  std::string name_;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace calfvo
