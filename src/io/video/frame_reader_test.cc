// SPDX-License-Identifier: Apache-2.0
#include "calfvo/frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <utility>

#include "core/base/testing.h"

namespace calfvo {
namespace {

TEST(FrameReader, ReadsWhatTheOptionsSelect) {
  const TempFolder folder;
  const std::string path = folder.path() / "video.y4m";
  std::ofstream stream(path, std::ios::binary);
  stream << "YUV4MPEG2 W4 H2 F10:1 Cmono XCOLORRANGE=FULL A2:1\n";
  for (int i = 0; i < 10; ++i) stream << "FRAME\n" << std::string(8, static_cast<char>(10 * i));
  stream.close();

  FrameReader opened(path, {.stride = 3, .start_s = 0.1});
  EXPECT_THAT(opened.description(), testing::HasSubstr("4x2"));
  FrameReader reader = std::move(opened);
  Frame frame;
  std::vector<int64_t> indices;
  while (reader.Next(frame)) {
    indices.push_back(frame.index);
    EXPECT_EQ(frame.timestamp_ns, 100'000'000 * frame.index);
    EXPECT_EQ(frame.view().pixel_aspect, 2.0);
    EXPECT_EQ(frame.view().pixels[0], 10 * frame.index);
  }
  EXPECT_THAT(indices, testing::ElementsAre(1, 4, 7));
  EXPECT_GE(reader.frame_count(), 3);  // an estimate

  FrameReader at_rate(path, {.frames_per_second = 2.0});
  at_rate.Next(frame);
  at_rate.Next(frame);
  EXPECT_EQ(frame.timestamp_ns, 500'000'000);
}

TEST(FrameReader, NamesTheOptionThatIsWrong) {
  EXPECT_EQ(ErrorFrom([] { FrameOptions{.stride = 0}.Validate(); }), "stride is 0; expected 1 or more");
  EXPECT_EQ(ErrorFrom([] { FrameOptions{.frames_per_second = -1.0}.Validate(); }),
            "frame rate -1 is not from 1/3600 to 1000");
  EXPECT_THAT(ErrorFrom([] { FrameReader("none.mp4", {.start_s = -1.0}); }),
              testing::HasSubstr("start is -1 s"));
  FrameOptions{}.Validate();
}

}  // namespace
}  // namespace calfvo
