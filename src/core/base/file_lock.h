// SPDX-License-Identifier: Apache-2.0
// Locks between processes.
#pragma once

#include <filesystem>

namespace calfvo {

// An advisory lock (flock) on a file or folder, held while this lives. Ends with the process, however that
// ends. File systems without locks grant it to everybody.
class FileLock {
 public:
  enum class Target { kExisting, kNewFile };

  // Tries once. With kNewFile an empty file is made at `path` if none is there; the caller removes it.
  explicit FileLock(const std::filesystem::path& path, Target target = Target::kExisting);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool is_refused() const { return is_refused_; }  // another process holds it

 private:
  const int descriptor_;
  bool is_refused_ = false;
};

}  // namespace calfvo
