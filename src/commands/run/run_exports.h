// SPDX-License-Identifier: Apache-2.0
// Exports of a run, while it ends and afterwards.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "io/export/exports.h"
#include "io/video/frame_source.h"

namespace calfvo {

// Throws Error if `options` need images of an `input` that cannot be read again.
void CheckExports(const std::string& input, const ExportOptions& options);

// What an export needs of a run beside its files.
struct RunToExport {
  std::string input;
  SourceOptions source;  // as in the run
  int width = 0;         // of its images, pixels
  int height = 0;
  bool refined = false;
};

// Writes the exports of the run whose poses.csv (and camera.json, points.ply) lie in `folder`. Returns
// name → path. Throws Error.
std::map<std::string, std::string> WriteRunExports(const RunToExport& run,
                                                   const std::filesystem::path& folder,
                                                   const ExportOptions& options);

// What `calfvo export` does: the same for a complete run, and notes the files in its run.json. Throws Error
// also as RunFolderUpdate does.
std::map<std::string, std::string> ExportRunFolder(const std::filesystem::path& folder,
                                                   const ExportOptions& options, bool overwrite);

}  // namespace calfvo
