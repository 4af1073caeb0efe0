// SPDX-License-Identifier: Apache-2.0
// tests/interop/recordings.py reads files that other programs wrote.
#include "io/recording/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/testing.h"
#include "io/recording/mcap_format.h"
#include "io/recording/test_recordings.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

// Reads every message of every topic.
std::vector<std::string> AllMessages(const std::filesystem::path& path) {
  const auto recording = OpenRecording(path);
  std::vector<std::string> all;
  for (size_t topic = 0; topic < recording->topics().size(); ++topic) {
    recording->Select(topic);
    for (RecordedMessage message; recording->Next(message);) {
      all.push_back(recording->topics()[topic].name + ' ' + std::to_string(message.time_ns) + ' ' +
                    std::to_string(message.data.size()));
    }
  }
  return all;
}

class RecordingTest : public testing::Test {
 protected:
  std::filesystem::path File(const std::string& bytes) {
    WriteRecordingBytes(path_, bytes);
    return path_;
  }
  const TempFolder folder_;
  const std::filesystem::path path_ = folder_.path() / "file";
};

TEST_F(RecordingTest, McapMessagesComeByTopicInOrder) {
  for (const Compression compression : {Compression::kNone, Compression::kZstd, Compression::kLz4}) {
    WriteTestMcap(path_, compression);
    const auto recording = OpenRecording(path_);
    ASSERT_EQ(recording->topics().size(), 2U);
    EXPECT_EQ(recording->topics()[0].name, "/image");
    EXPECT_EQ(recording->topics()[0].type, "sensor_msgs/Image");
    EXPECT_EQ(recording->topics()[0].messages, 2U);
    EXPECT_THAT(AllMessages(path_),
                testing::ElementsAre("/image 20 58", "/image 40 58", "/other 10 3", "/other 30 3"));
  }
}

TEST_F(RecordingTest, AnMcapFileWithoutSummaryIsScanned) {
  WriteTestMcap(path_, Compression::kZstd);
  std::string bytes = ReadWholeFile(path_);
  bytes.resize(bytes.size() - 20);  // within the footer
  const auto recording = OpenRecording(File(bytes));
  EXPECT_EQ(recording->topics().size(), 2U);
  EXPECT_FALSE(recording->topics()[0].messages);
  EXPECT_EQ(AllMessages(path_).size(), 4U);
}

TEST_F(RecordingTest, BagMessagesComeByTopicInOrder) {
  for (const Compression compression : {Compression::kNone, Compression::kLz4}) {
    EXPECT_THAT(AllMessages(File(TestBag(compression))),
                testing::ElementsAre("/image 1000000020 50", "/image 1000000040 50", "/other 1000000010 3"));
  }
  EXPECT_TRUE(OpenRecording(path_)->topics()[0].is_ros1);
}

// A truncation and a changed byte anywhere are each an error that names the file, or leaves something to
// read.
TEST_F(RecordingTest, DamageIsAnErrorOrHarmless) {
  WriteTestMcap(path_, Compression::kZstd);
  for (const std::string& whole : {ReadWholeFile(path_), TestBag(), TestBag(Compression::kNone)}) {
    const auto expect_named = [&](const std::string& bytes) {
      const std::string error = ErrorFrom([&] { AllMessages(File(bytes)); });
      EXPECT_TRUE(error == "no error" || error.starts_with(path_.string() + ": ")) << error;
    };
    for (size_t i = 0; i < whole.size(); i += 7) {
      expect_named(whole.substr(0, i));
      std::string changed = whole;
      changed[i] = static_cast<char>(~changed[i]);
      expect_named(changed);
    }
  }
}

// As after a power failure.
TEST_F(RecordingTest, ZerosEndAnMcapFile) {
  std::ofstream(path_, std::ios::binary) << mcap::kMagic;
  std::filesystem::resize_file(path_, uint64_t{1} << 33);  // a hole
  EXPECT_THAT(ErrorFrom([&] { OpenRecording(path_)->topics(); }), HasSubstr("holds zeros from byte 8 on"));

  WriteTestMcap(path_, Compression::kNone);
  const std::string bytes = ReadWholeFile(path_);
  const size_t end = bytes.find(std::string("\x0f\x04\0\0\0\0\0\0\0", 9));  // the record DataEnd
  ASSERT_NE(end, std::string::npos);
  const auto recording = OpenRecording(File(bytes.substr(0, end) + std::string(1000, '\0')));
  ASSERT_EQ(recording->topics()[0].name, "/image");
  recording->Select(0);
  RecordedMessage message;
  EXPECT_TRUE(recording->Next(message));
  EXPECT_TRUE(recording->Next(message));
  EXPECT_THAT(ErrorFrom([&] { recording->Next(message); }), HasSubstr("holds zeros from byte"));
}

TEST_F(RecordingTest, HostileSizesAreRefused) {
  WriteTestMcap(path_, Compression::kNone, 1 << 20);
  std::string bytes = ReadWholeFile(path_);
  const size_t chunk = bytes.find(std::string("\x06", 1), mcap::kMagic.size() + mcap::kRecordHeader + 20);
  std::string huge = bytes;
  AppendLittleEndian<uint64_t>(uint64_t{1} << 50, &huge);
  huge.replace(chunk + mcap::kRecordHeader + 16, 8, huge.substr(huge.size() - 8));
  huge.resize(bytes.size());
  EXPECT_THAT(ErrorFrom([&] { AllMessages(File(huge)); }), HasSubstr("at most 256 MiB are read"));
  std::string wrong = bytes;
  wrong[chunk + mcap::kRecordHeader + 24] ^= 1;  // the checksum
  EXPECT_THAT(ErrorFrom([&] { AllMessages(File(wrong)); }), HasSubstr("the checksum of a chunk is"));
  EXPECT_THAT(ErrorFrom([&] { AllMessages(File(bytes.substr(0, chunk + 40))); }), HasSubstr("is cut short"));
  EXPECT_THAT(ErrorFrom([&] { AllMessages(File("text")); }), HasSubstr("is not a recording"));
  EXPECT_THAT(ErrorFrom([&] { AllMessages(folder_.path() / "none"); }),
              HasSubstr("none: is not a recording"));
}

}  // namespace
}  // namespace calfvo
