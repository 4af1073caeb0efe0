// SPDX-License-Identifier: Apache-2.0
#include "commands/view/live_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "core/image/jpeg.h"

namespace calfvo {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The data of the event called `name` in `text`; null if there is none.
nlohmann::json EventIn(const std::string& text, const std::string& name) {
  const std::string begin = "event: " + name + "\ndata: ";
  const size_t at = text.find(begin);
  if (at == std::string::npos) return nullptr;
  const size_t from = at + begin.size();
  return nlohmann::json::parse(text.substr(from, text.find('\n', from) - from));
}

TEST(LiveFeed, ListenersGetWhatIsNew) {
  LiveFeed feed;
  FeedPosition early;
  EXPECT_EQ(feed.Next(early, milliseconds(1)), ": waiting\n\n");
  feed.Start("name \"<\n", true, 12);
  for (int i = 0; i < 5; ++i) feed.AddPose({.timestamp_ns = i, .frame = i});
  const std::string first = feed.Next(early, milliseconds(1));
  EXPECT_EQ(EventIn(first, "start")["title"], "name \"<\n");
  EXPECT_EQ(EventIn(first, "start")["total"], 12);
  EXPECT_EQ(EventIn(first, "poses")["frames"], 5);
  EXPECT_EQ(EventIn(first, "poses")["restart"], true);
  feed.AddPose({.timestamp_ns = 5, .frame = 5});
  const std::string second = feed.Next(early, milliseconds(1));
  EXPECT_EQ(EventIn(second, "poses")["restart"], false);
  EXPECT_EQ(EventIn(second, "poses")["path"]["frame"], "BQAAAA==");
  FeedPosition late;
  EXPECT_EQ(EventIn(feed.Next(late, milliseconds(1)), "poses")["path"]["frame"].get<std::string>().size(),
            32U);
  feed.Finish("");
  EXPECT_EQ(EventIn(feed.Next(early, milliseconds(1)), "done")["error"], "");
  EXPECT_TRUE(early.done);
  EXPECT_TRUE(feed.finished());
}

TEST(LiveFeed, ImagesAreTakenOnlyForListeners) {
  if (!CanEncodeJpeg()) GTEST_SKIP() << "no libjpeg";
  LiveFeed feed;
  feed.Start("x", false, {});
  const Frame frame{.index = 3, .width = 8, .height = 8, .rgb = std::vector<uint8_t>(192, 90)};
  FeedPosition position;
  feed.AddImage(frame);
  EXPECT_THAT(feed.Next(position, milliseconds(1)), Not(HasSubstr("event: image")));
  EXPECT_FALSE(feed.had_listeners());
  {
    LiveFeed::Listener listener(feed);
    feed.AddImage(frame);
    EXPECT_EQ(EventIn(feed.Next(listener.position, milliseconds(1)), "image")["frame"], 3);
    EXPECT_EQ(feed.listeners(), 1);
  }
  EXPECT_EQ(feed.listeners(), 0);
  EXPECT_TRUE(feed.had_listeners());
}

TEST(LiveFeed, ManyListenersAndOneWriter) {
  LiveFeed feed;
  feed.Start("x", true, {});
  std::vector<std::thread> listeners;
  std::atomic<int> complete = 0;
  for (int i = 0; i < 8; ++i) {
    listeners.emplace_back([&] {
      LiveFeed::Listener listener(feed);
      while (!listener.position.done) feed.Next(listener.position, milliseconds(50));
      complete += listener.position.poses == 2000 ? 1 : 0;
    });
  }
  for (int i = 0; i < 2000; ++i) feed.AddPose({.timestamp_ns = i, .frame = i});
  feed.Finish("the camera has gone");
  for (std::thread& listener : listeners) listener.join();
  EXPECT_EQ(complete, 8);
}

}  // namespace
}  // namespace calfvo
