// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace calfvo {

// A hidden file beside `target` (".calfvo-", random digits, ".part") that replaces it on Commit and is
// removed otherwise. It is locked (flock) while this lives, so that RemoveStaleParts spares it. Failures
// throw Error naming `target`.
class PartFile {
 public:
  explicit PartFile(std::filesystem::path target);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::filesystem::path& target() const { return target_; }
  const std::filesystem::path& path() const { return path_; }
  int descriptor() const { return descriptor_; }  // open for writing

  // Waits until the data has reached the disk and renames the file to `target`.
  void Commit();

  // The same where `target` does not exist; false, and nothing done, where it does.
  bool CommitNew();

 private:
  std::filesystem::path target_;
  std::filesystem::path path_;  // empty once renamed
  int descriptor_ = -1;
};

// Removes the part files in `folder` that a killed process left.
void RemoveStaleParts(const std::filesystem::path& folder);

// Writes through a PartFile. Where `path` is a pipe or a device, which cannot be replaced, it writes there
// directly. Every failure (missing or unwritable folder, full disk, a pipe without a reader) throws Error
// naming `path` and the reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);

  void Write(std::string_view bytes);
  void Commit();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::filesystem::path path_;
  std::unique_ptr<PartFile> part_;  // null for pipes and devices
  std::unique_ptr<std::FILE, Close> file_;
};

// Writes `bytes` to `path`, whole or not at all.
void WriteFileAtomically(const std::filesystem::path& path, std::string_view bytes);

// Makes `folder` and its parents; throws Error naming it when that cannot be.
void MakeFolder(const std::filesystem::path& folder);

}  // namespace calfvo
