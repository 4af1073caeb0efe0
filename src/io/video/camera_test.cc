// SPDX-License-Identifier: Apache-2.0
// Cameras, through FFmpeg's synthetic ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "io/video/test_media.h"

namespace calfvo {
namespace {

TEST(Camera, GivesFramesAtItsRate) {
  const auto source = OpenFrames("lavfi:testsrc=size=64x48:rate=10:duration=1");
  EXPECT_EQ(source->info().kind, "camera");
  EXPECT_FALSE(source->info().is_live);
  EXPECT_FALSE(source->info().frame_count);
  const auto frames = ReadAll(*source);
  ASSERT_EQ(frames.size(), 10U);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(frames[i].timestamp_ns, i * 100'000'000LL);
  EXPECT_EQ(frames[9].width, 64);
  EXPECT_EQ(frames[9].damage, "");
}

TEST(Camera, ReportsItsPixelAspect) {
  const auto frames = ReadAll("lavfi:testsrc=size=64x48:rate=10:duration=0.1,setsar=12/11");
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].pixel_aspect, 12.0 / 11);
}

TEST(Camera, StopsWhenAsked) {
  std::atomic<bool> stop = false;
  const auto source = OpenFrames("lavfi:testsrc=size=64x48:rate=10", {.stop = &stop});
  Frame frame;
  EXPECT_TRUE(source->Next(frame));
  stop = true;
  int more = 0;
  while (source->Next(frame)) ++more;
  EXPECT_LE(more, 1);
}

TEST(Camera, StopsWhenNobodyWantsItsFrames) {
  const auto source = OpenFrames("lavfi:testsrc=size=64x48:rate=10");
  Frame frame;
  EXPECT_TRUE(source->Next(frame));
  source->Cancel();
  int more = 0;
  while (more < 100 && source->Next(frame)) ++more;
  EXPECT_LE(more, 1);
}

TEST(Camera, NamesWhatIsWrong) {
  EXPECT_EQ(ErrorFrom([] { OpenFrames("lavfi:nosuchfilter"); }),
            "lavfi:nosuchfilter: cannot open the camera: Invalid argument");
  EXPECT_EQ(ErrorFrom([] { OpenFrames("/dev/null"); }),
            "/dev/null: cannot open the camera: Inappropriate ioctl for device");
}

}  // namespace
}  // namespace calfvo
