// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/testing.h"
#include "io/recording/test_recordings.h"
#include "io/video/frame_source.h"
#include "io/video/test_media.h"
#include "io/video/video_writer.h"

namespace calfvo {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RecordingSourceTest : public testing::Test {
 protected:
  // A recording with these messages of type Image on /a, and of `second_type` on /b.
  void Write(const std::vector<std::string>& messages, const char* second_type) {
    McapWriter writer(path_, {.profile = "ros2"});
    const uint16_t image = writer.AddSchema("sensor_msgs/msg/Image", "ros2msg", "");
    const uint16_t second = writer.AddSchema(second_type, "ros2msg", "");
    const uint16_t first_topic = writer.AddChannel(image, "/a", "cdr");
    writer.AddMessage(writer.AddChannel(second, "/b", "cdr"), 1, CdrImage(5, 1, 1, "mono8", 1, "z"));
    for (size_t i = 0; i < messages.size(); ++i)
      writer.AddMessage(first_topic, static_cast<int64_t>(i), messages[i]);
    writer.Finish();
  }
  static std::string Grey(int64_t stamp_ns, char value) {
    return CdrImage(stamp_ns, 1, 1, "mono8", 1, std::string(1, value));
  }
  std::string OpenError(const std::string& topic = "") {
    return ErrorFrom([&] { OpenFrames(path_.string(), {.topic = topic}); });
  }

  const TempFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "a.mcap";
};

TEST_F(RecordingSourceTest, TimesAreThoseOfHeaders) {
  Write({Grey(1'000'000'000, 'a'), Grey(1'040'000'000, 'b'), Grey(0, 'c')}, "std_msgs/msg/String");
  const auto source = OpenFrames(path_.string());
  EXPECT_EQ(source->info().kind, "recording");
  EXPECT_EQ(source->info().frame_count, 3);
  Frame frame;
  ASSERT_TRUE(source->Next(frame));
  EXPECT_EQ(frame.timestamp_ns, 1'000'000'000);
  EXPECT_THAT(frame.rgb, ElementsAre('a', 'a', 'a'));
  ASSERT_TRUE(source->Next(frame));
  EXPECT_EQ(frame.timestamp_ns, 1'040'000'000);
  ASSERT_TRUE(source->Next(frame));  // without a stamp, recorded at 2 ns: repaired
  EXPECT_GT(frame.timestamp_ns, 1'040'000'000);
  EXPECT_FALSE(source->Next(frame));
}

TEST_F(RecordingSourceTest, DamagedMessagesRepeatTheImageBefore) {
  Write({Grey(10, 'a'), CdrImage(20, 1, 1, "mono8", 1, ""), "short", Grey(40'000'000'000, 'd')},
        "std_msgs/msg/String");
  const auto source = OpenFrames(path_.string());
  Frame frame;
  ASSERT_TRUE(source->Next(frame));
  for (const char* damage : {"cut short", "a message is not little-endian"}) {
    ASSERT_TRUE(source->Next(frame));
    EXPECT_THAT(frame.damage, HasSubstr(damage));
    EXPECT_THAT(frame.rgb, ElementsAre('a', 'a', 'a'));
  }
  ASSERT_TRUE(source->Next(frame));
  EXPECT_EQ(frame.damage, "");
  EXPECT_EQ(frame.index, 3);
}

TEST_F(RecordingSourceTest, TopicsAreChosenByName) {
  Write({Grey(10, 'a')}, "sensor_msgs/msg/Image");
  EXPECT_THAT(OpenError(), HasSubstr("a.mcap: has 2 topics with images; choose one with --topic: "
                                     "/a (sensor_msgs/Image), /b (sensor_msgs/Image)"));
  EXPECT_THAT(OpenError("/c"), HasSubstr("has no topic '/c'; its topics with images: /a"));
  Frame frame;
  ASSERT_TRUE(OpenFrames(path_.string(), {.topic = "/b"})->Next(frame));
  EXPECT_THAT(frame.rgb, ElementsAre('z', 'z', 'z'));
  Write({}, "std_msgs/msg/String");
  EXPECT_THAT(OpenError("/b"), HasSubstr("the topic '/b' has 'std_msgs/String', not sensor_msgs/Image"));
}

// The packets of an H.264 stream whose images begin with a delimiter.
std::vector<std::string> SplitH264(const std::string& stream) {
  const std::string delimiter("\0\0\0\1\x09", 5);
  std::vector<std::string> packets;
  for (size_t at = stream.find(delimiter); at != std::string::npos;) {
    const size_t next = stream.find(delimiter, at + 1);
    packets.push_back(stream.substr(at, next - at));
    at = next;
  }
  return packets;
}

std::string CdrVideo(int64_t stamp_ns, const std::string& packet, const std::string& format) {
  CdrWriter cdr;
  cdr.Time(stamp_ns).Text("camera").Bytes(packet).Text(format);
  return cdr.bytes();
}

std::string CdrFfmpegPacket(int64_t stamp_ns, const std::string& packet, const std::string& encoding) {
  CdrWriter cdr;
  cdr.Time(stamp_ns).Text("camera");
  cdr.Number<uint32_t>(64).Number<uint32_t>(48).Text(encoding);
  cdr.Number<uint64_t>(7).Number<uint8_t>(1).Number<uint8_t>(0).Bytes(packet);
  return cdr.bytes();
}

class RecordedVideoTest : public testing::Test {
 protected:
  // 20 images, in an order of decoding that is not the one of display.
  void SetUp() override {
    if (!HasFfmpegProgram() || !VideoWriter::IsAvailable()) GTEST_SKIP() << "no ffmpeg";
    RunFfmpeg(folder_.path(),
              "-f lavfi -i testsrc2=size=64x48:rate=30 -frames:v 20 -c:v libx264 -g 10 -bf 2 "
              "-bsf:v h264_metadata=aud=insert -f h264 a.h264");
    packets_ = SplitH264(ReadWholeFile(folder_.path() / "a.h264"));
    ASSERT_EQ(packets_.size(), 20U);
    expected_ = ReadAll(folder_.path() / "a.h264");
    ASSERT_EQ(expected_.size(), 20U);
  }
  template <typename Message>
  void Write(const char* type, const char* codec, Message message) {
    McapWriter writer(path_, {.profile = "ros2"});
    const uint16_t topic = writer.AddChannel(writer.AddSchema(type, "ros2msg", ""), "/video", "cdr");
    for (size_t i = 0; i < packets_.size(); ++i) {
      const int64_t stamp_ns = 1'000'000'000 + 40'000'000 * static_cast<int64_t>(i);
      writer.AddMessage(topic, stamp_ns, message(stamp_ns, packets_[i], codec));
    }
    writer.Finish();
  }

  const TempFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "a.mcap";
  std::vector<std::string> packets_;
  std::vector<Frame> expected_;
};

TEST_F(RecordedVideoTest, GivesTheImagesOfTheStream) {
  for (const bool foxglove : {true, false}) {
    if (foxglove) {
      Write("foxglove_msgs/msg/CompressedVideo", "h264", CdrVideo);
    } else {
      Write("ffmpeg_image_transport_msgs/msg/FFMPEGPacket", "libx264", CdrFfmpegPacket);
    }
    const std::vector<Frame> frames = ReadAll(path_);
    ASSERT_EQ(frames.size(), expected_.size());
    for (size_t i = 0; i < frames.size(); ++i) {
      EXPECT_EQ(frames[i].rgb, expected_[i].rgb) << i;
      EXPECT_EQ(frames[i].index, static_cast<int64_t>(i));
      EXPECT_EQ(frames[i].damage, "");
    }
    EXPECT_EQ(frames[0].timestamp_ns, 1'000'000'000);
    // Skipped images are decoded all the same: others refer to them.
    const std::vector<Frame> third = ReadAll(path_, {.stride = 3});
    ASSERT_EQ(third.size(), 7U);
    EXPECT_EQ(third[2].rgb, expected_[6].rgb);
  }
}

TEST_F(RecordedVideoTest, DamageMarksImagesAndEndsNothing) {
  packets_[3] = "damage";
  packets_[5].resize(packets_[5].size() / 2);
  packets_[6] = "";
  Write("foxglove_msgs/msg/CompressedVideo", "h264", CdrVideo);
  const std::vector<Frame> frames = ReadAll(path_);
  EXPECT_GE(frames.size(), 15U);
  EXPECT_LT(frames.size(), 21U);
  EXPECT_TRUE(
      std::any_of(frames.begin(), frames.end(), [](const Frame& frame) { return !frame.damage.empty(); }));
  EXPECT_EQ(frames.back().rgb, expected_.back().rgb);
}

TEST_F(RecordedVideoTest, NamesWhatCannotBeDecoded) {
  Write("foxglove_msgs/msg/CompressedVideo", "mpeg7", CdrVideo);
  EXPECT_THAT(ErrorFrom([&] { ReadAll(path_); }),
              HasSubstr("a.mcap: has video packets of 'mpeg7'; expected h264, h265, vp9 or av1"));
  for (std::string& packet : packets_) packet = "nothing";
  Write("foxglove_msgs/msg/CompressedVideo", "h264", CdrVideo);
  EXPECT_THAT(ErrorFrom([&] { ReadAll(path_); }),
              HasSubstr("none of its 20 packets could be decoded; the first: "));
}

}  // namespace
}  // namespace calfvo
