// SPDX-License-Identifier: Apache-2.0
// A list of videos, shared by any number of processes.
#pragma once

#include <atomic>
#include <filesystem>
#include <vector>

#include "commands/run/manifest.h"
#include "commands/run/video_runner.h"

namespace calfvo {

struct ManifestRunOptions {
  std::filesystem::path output;  // holds a folder per video
  bool wait = true;              // for the videos of other processes, and run them if those processes die
  bool quiet = false;            // prints no line per video
};

struct ManifestResult {
  int failed = 0;        // videos that would fail again
  int unfinished = 0;    // videos for which repeating the command may help, and those of other processes
  bool stopped = false;  // by `stop`; the rest was not run

  // Of the program: 0, 1 or kTryAgain.
  int ExitCode() const;
};

// Runs every video that is not done. A folder in use is left to its process and visited again when the other
// videos are done. A failing video is reported and does not stop the others. Throws Error before anything is
// run where folders hold results of other settings.
ManifestResult RunManifest(VideoRunner& runner, const std::vector<ManifestEntry>& entries,
                           const ManifestRunOptions& options, const std::atomic<bool>& stop);

}  // namespace calfvo
