// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace calfvo {

// Writes to a hidden file beside `path` and renames it over `path` on Commit, after the data has reached the
// disk. Destroyed without Commit, it leaves `path` as it was and removes what it wrote. Where `path` is a
// pipe or a device, which cannot be replaced, it writes there directly. Every failure (missing or unwritable
// folder, full disk) throws Error naming `path` and the reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(AtomicFile&&) noexcept = default;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void Write(std::string_view bytes);
  void Commit();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::filesystem::path path_;
  std::filesystem::path part_path_;  // empty once renamed, and for pipes and devices
  std::unique_ptr<std::FILE, Close> file_;
};

// Writes `bytes` to `path`, whole or not at all.
void WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes);

// Makes `folder` and its parents; throws Error naming it when that cannot be.
void MakeFolder(const std::filesystem::path& folder);

}  // namespace calfvo
