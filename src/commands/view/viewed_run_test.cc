// SPDX-License-Identifier: Apache-2.0
#include "commands/view/viewed_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "commands/page/test_run.h"
#include "core/base/testing.h"
#include "core/image/image_decoder.h"
#include "core/image/test_images.h"
#include "io/recording/test_recordings.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

TEST(ViewedRun, SendsFramesOfTheInputInAnyOrder) {
  const TempFolder folder;
  const auto images = folder.path() / "images";
  std::filesystem::create_directory(images);
  for (int i = 0; i < 6; ++i) {
    WriteText(images / (std::to_string(i) + ".ppm"), FlatPpm(16, 8, {40 * i, 10, 10}));
  }
  WriteTestRun(folder.path() / "run", nlohmann::json{{"input", images.string()}}.dump());
  ViewedRun run(folder.path() / "run");
  EXPECT_TRUE(nlohmann::json::parse(run.DocumentJson())["full_frames"]);
  EXPECT_EQ(nlohmann::json::parse(run.DocumentJson())["title"], "run");
  for (const int number : {0, 3, 3, 5, 1, 4}) {
    const auto image = run.FrameImage(number);
    ASSERT_TRUE(image) << number;
    Frame frame;
    DecodeImage(image->bytes, frame);
    EXPECT_EQ(frame.width, 16);
    EXPECT_TRUE(IsNear(Pixel(frame, 8, 4), {40 * number, 10, 10}, 6)) << number;
  }
  EXPECT_FALSE(run.FrameImage(6));
  EXPECT_FALSE(run.FrameImage(-1));
  EXPECT_TRUE(run.FrameImage(2));
  std::filesystem::remove_all(images);
  EXPECT_FALSE(run.FrameImage(0));
}

// Of a recording with images on several topics, those of the run.
TEST(ViewedRun, SendsFramesOfTheRunsTopic) {
  const TempFolder folder;
  const auto path = folder.path() / "two.mcap";
  McapWriter writer(path, {.profile = "ros2"});
  const uint16_t image = writer.AddSchema("sensor_msgs/msg/Image", "ros2msg", "");
  for (const auto& [topic, gray] : {std::pair("/left", '\x20'), std::pair("/right", '\xc0')}) {
    writer.AddMessage(writer.AddChannel(image, topic, "cdr"), 20,
                      CdrImage(20, 16, 8, "mono8", 16, std::string(16 * 8, gray)));
  }
  writer.Finish();
  WriteTestRun(folder.path() / "run",
               nlohmann::json{{"input", path.string()}, {"options", {{"topic", "/right"}}}}.dump());
  const auto sent = ViewedRun(folder.path() / "run").FrameImage(0);
  ASSERT_TRUE(sent);
  Frame frame;
  DecodeImage(sent->bytes, frame);
  EXPECT_TRUE(IsNear(Pixel(frame, 8, 4), {0xc0, 0xc0, 0xc0}, 6));
}

TEST(ViewedRun, CamerasAndMissingVideosHaveNoFrames) {
  const TempFolder folder;
  for (const char* input : {"/dev/video0", "-", "lavfi:testsrc", "/nowhere.mp4"}) {
    WriteTestRun(folder.path(), nlohmann::json{{"input", input}}.dump());
    EXPECT_FALSE(ViewedRun(folder.path()).FrameImage(0)) << input;
  }
  EXPECT_EQ(ViewedRun(folder.path()).FramesJson(), "null");
}

TEST(ViewedRun, OtherFoldersAreErrors) {
  const TempFolder folder;
  EXPECT_THAT(ErrorFrom([&] { ViewedRun(folder.path()); }), HasSubstr("holds no valid run.json"));
  EXPECT_THAT(ErrorFrom([&] { ViewedRun(folder.path() / "missing"); }),
              HasSubstr("missing: holds no valid run.json"));
}

}  // namespace
}  // namespace calfvo
