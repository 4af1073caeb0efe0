// SPDX-License-Identifier: Apache-2.0
// A run under way, as server-sent events (viewer/src/live.ts reads them):
//   start  {"title", "total"}
//   poses  {"restart", "frames", "rate", "path"}; path as PoseTable::ColumnsJson, restart if it holds all
//   poses image  {"frame", "jpeg"}: the newest frame, downscaled done   {"error"}: empty if the run is
//   complete
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "commands/page/key_frames.h"
#include "commands/page/pose_table.h"

namespace calfvo {

// What one listener has received.
struct FeedPosition {
  bool started = false;
  int64_t stride = 0;  // of the poses received; 0 for none
  size_t poses = 0;
  int64_t image = 0;  // counts images
  bool done = false;
};

// Thread-safe. A run writes, any number of listeners read; none makes the run wait but for copying a pose.
// Memory does not depend on the length of the run.
class LiveFeed {
 public:
  void Start(const std::string& title, bool has_confidence, std::optional<int64_t> total);
  void AddPose(const PoseRow& row);
  // Takes about six images a second, and none while no page is open.
  void AddImage(const Frame& frame);
  void Finish(const std::string& error);

  // Waits, at most `wait`, until there is something new for a listener and returns it as text of an event
  // stream; a comment if there is nothing, so that a listener that has gone is noticed.
  std::string Next(FeedPosition& position, std::chrono::milliseconds wait);

  bool finished() const;
  // Listeners now, and whether there ever was one.
  int listeners() const;
  bool had_listeners() const;

  // Counts as a listener while it lives.
  class Listener {
   public:
    explicit Listener(LiveFeed& feed);
    ~Listener();
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    FeedPosition position;

   private:
    LiveFeed& feed_;
  };

 private:
  using Clock = std::chrono::steady_clock;

  bool HasNews(const FeedPosition& position) const;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  std::string start_event_;
  std::optional<PoseTable> poses_;
  Clock::time_point start_time_;
  Clock::time_point image_time_;
  int64_t image_count_ = 0;
  std::string image_event_;
  std::optional<std::string> done_event_;
  int listeners_ = 0;
  bool had_listeners_ = false;
  ThumbnailEncoder encoder_;  // of the thread that reads
};

}  // namespace calfvo
