// SPDX-License-Identifier: Apache-2.0
#include "shown_run.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "calfvo/error.h"
#include "core/base/interrupt.h"

namespace calfvo {

void ShownRun::Serve(const std::filesystem::path& folder) {
  server_.emplace(ViewServerOptions{.folders = {folder}, .live = &feed_});
  fmt::print(stderr, "viewer: {}\n", server_->url());
}

RunObserver ShownRun::observer() {
  if (!server_) return {};
  return {.start = [this](const std::string& title, bool has_confidence,
                          std::optional<int64_t> total) { feed_.Start(title, has_confidence, total); },
          .image = [this](const Frame& frame) { feed_.AddImage(frame); },
          .pose =
              [this](const FrameRecord& frame, const TrackedPose& pose) {
                feed_.AddPose({.timestamp_ns = frame.timestamp_ns,
                               .frame = frame.index,
                               .world_from_camera = pose.world_from_camera,
                               .covariance = pose.covariance,
                               .sigma_translation_m = pose.edge.sigma_translation_m,
                               .sigma_rotation_rad = pose.edge.sigma_rotation_rad,
                               .damaged = !frame.damage.empty(),
                               .dropped_before = frame.dropped_before > 0});
              }};
}

RunReport ShownRun::Follow(const std::function<RunReport()>& run) {
  try {
    RunReport report = run();
    feed_.Finish("");
    return report;
  } catch (const Error& error) {
    feed_.Finish(error.what());
    throw;
  }
}

void ShownRun::Wait() {
  const std::atomic<bool>& stop = StopRequested();
  if (!server_ || stop || !feed_.had_listeners()) return;
  fmt::print(stderr, "viewer: {} until Ctrl-C\n", server_->url());
  while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace calfvo
