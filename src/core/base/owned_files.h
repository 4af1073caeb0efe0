// SPDX-License-Identifier: Apache-2.0
// Single files that a command writes into a folder that may hold others: calfvo-files.json in the folder
// lists those that calfvo wrote, with size and hash. Only these are ever replaced.
//
//   CheckOwnedFiles(folder, {"path.png"});      // before the work starts
//   …
//   OwnedFiles files(folder, {"path.png"});     // checks again, since files may have appeared
//   WriteFileAtomically(folder / "path.png", …);
//   files.Finish();
//
// The names are listed, without content, before the first file is written: after a kill the same command may
// replace whatever is there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file_lock.h"

namespace calfvo {

// Throws Error if one of `names` exists in `folder` and calfvo did not write it, or if it changed since, and
// if calfvo-files.json is damaged. Changes nothing; the folder may be missing.
void CheckOwnedFiles(const std::filesystem::path& folder, const std::vector<std::string>& names);

// While the files are written. The folder is locked against other processes that use this class.
class OwnedFiles {
 public:
  // Makes the folder, checks, and lists `names`. Throws Error as CheckOwnedFiles does, and TemporaryError if
  // another process is writing there.
  OwnedFiles(std::filesystem::path folder, std::vector<std::string> names);

  // Records what is there of `names`.
  void Finish() const;

 private:
  const std::filesystem::path folder_;
  const std::vector<std::string> names_;
  const FileLock lock_;
};

}  // namespace calfvo
