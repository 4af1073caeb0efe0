// SPDX-License-Identifier: Apache-2.0
#include "commands/view/live_feed.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/image/jpeg.h"
#include "eval/plot/html_page.h"

namespace calfvo {
namespace {

constexpr std::chrono::milliseconds kImageInterval{160};
// Poses are sent together: a page draws no faster.
constexpr std::chrono::milliseconds kPoseInterval{120};

std::string Event(std::string_view name, std::string_view data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, data);
}

std::string JsonText(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

void LiveFeed::Start(const std::string& title, bool has_confidence, std::optional<int64_t> total) {
  nlohmann::ordered_json json = {{"title", title}, {"total", nullptr}};
  if (total) json["total"] = *total;
  const std::lock_guard lock(mutex_);
  start_event_ = Event("start", JsonText(json));
  started_ = true;
  poses_.emplace(has_confidence);
  start_time_ = Clock::now();
  changed_.notify_all();
}

void LiveFeed::AddPose(const PoseRow& row) {
  const std::lock_guard lock(mutex_);
  poses_->Add(row);
  changed_.notify_all();
}

void LiveFeed::AddImage(const Frame& frame) {
  {
    const std::lock_guard lock(mutex_);
    if (listeners_ == 0 || !CanEncodeJpeg() || Clock::now() - image_time_ < kImageInterval) return;
    image_time_ = Clock::now();
  }
  const std::string event = Event(
      "image", fmt::format(R"({{"frame":{},"jpeg":"{}"}})", frame.index, Base64(encoder_.Encode(frame))));
  const std::lock_guard lock(mutex_);
  image_event_ = event;
  ++image_count_;
  changed_.notify_all();
}

void LiveFeed::Finish(const std::string& error) {
  const std::lock_guard lock(mutex_);
  done_event_ = Event("done", JsonText({{"error", error}}));
  changed_.notify_all();
}

bool LiveFeed::HasNews(const FeedPosition& position) const {
  return position.started != started_ ||
         (poses_ && poses_->size() > 0 &&
          (position.stride != poses_->stride() || position.poses != poses_->size())) ||
         position.image != image_count_ || position.done != done_event_.has_value();
}

std::string LiveFeed::Next(FeedPosition& position, std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  if (position.poses > 0 && !done_event_)
    changed_.wait_for(lock, kPoseInterval, [&] { return done_event_.has_value(); });
  if (!changed_.wait_for(lock, wait, [&] { return HasNews(position); })) return ": waiting\n\n";
  std::string text;
  if (started_ && !position.started) text += start_event_;
  position.started = started_;
  if (poses_ && poses_->size() > 0 &&
      (position.stride != poses_->stride() || position.poses != poses_->size())) {
    const bool restart = position.stride != poses_->stride();
    const double seconds = std::chrono::duration<double>(Clock::now() - start_time_).count();
    text += Event("poses",
                  fmt::format(R"({{"restart":{},"frames":{},"rate":{:.1f},"path":{}}})", restart,
                              poses_->added(), static_cast<double>(poses_->added()) / std::max(seconds, 1e-3),
                              poses_->ColumnsJson(restart ? 0 : position.poses)));
    position.stride = poses_->stride();
    position.poses = poses_->size();
  }
  if (position.image != image_count_) text += image_event_;
  position.image = image_count_;
  if (done_event_ && !position.done) text += *done_event_;
  position.done = done_event_.has_value();
  return text;
}

bool LiveFeed::finished() const {
  const std::lock_guard lock(mutex_);
  return done_event_.has_value();
}

int LiveFeed::listeners() const {
  const std::lock_guard lock(mutex_);
  return listeners_;
}

bool LiveFeed::had_listeners() const {
  const std::lock_guard lock(mutex_);
  return had_listeners_;
}

LiveFeed::Listener::Listener(LiveFeed& feed) : feed_(feed) {
  const std::lock_guard lock(feed_.mutex_);
  ++feed_.listeners_;
  feed_.had_listeners_ = true;
}

LiveFeed::Listener::~Listener() {
  const std::lock_guard lock(feed_.mutex_);
  --feed_.listeners_;
}

}  // namespace calfvo
