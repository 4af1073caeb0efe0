// SPDX-License-Identifier: Apache-2.0
// `calfvo run --view`: serves a run while it happens.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "commands/run/video_runner.h"
#include "commands/view/live_feed.h"
#include "commands/view/view_server.h"

namespace calfvo {

// Does nothing unless Serve was called.
class ShownRun {
 public:
  // Starts to serve the run into `folder` and prints the address on stderr. Throws Error.
  void Serve(const std::filesystem::path& folder);

  // For VideoRunner::Run.
  RunObserver observer();

  // Calls `run`; pages learn how it ended.
  RunReport Follow(const std::function<RunReport()>& run);

  // After a run that was not stopped: if a browser has followed it, serves the result until Ctrl-C.
  void Wait();

 private:
  LiveFeed feed_;
  std::optional<ViewServer> server_;  // uses feed_
};

}  // namespace calfvo
