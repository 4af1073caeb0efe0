// SPDX-License-Identifier: Apache-2.0
// Videos with missing and wrong bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "frames/test_media.h"
#include "frames/video_writer.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

constexpr int kFrames = 60;

// Noise in a smooth picture, so that packets have some length.
std::string TestVideo(const std::filesystem::path& path) {
  VideoWriter writer(path, {.width = 128, .height = 96, .rate = {30, 1}});
  std::mt19937 random(5);
  for (int i = 0; i < kFrames; ++i) {
    std::vector<uint8_t> rgb;
    for (int k = 0; k < 128 * 96; ++k) {
      for (const int base : {60 + i, 90, 120}) rgb.push_back(static_cast<uint8_t>(base + random() % 40));
    }
    writer.Add({128, 96, 3, rgb.data(), 384});
  }
  writer.Finish();
  return ReadWholeFile(path);
}

class VideoDamage : public testing::Test {
 protected:
  void SetUp() override {
    if (!VideoWriter::IsAvailable()) GTEST_SKIP() << "needs an encoder";
    whole_ = TestVideo(folder_.path() / "whole.mp4");
  }
  std::filesystem::path Write(const std::string& bytes) {
    const auto path = folder_.path() / "damaged.mp4";
    WriteBytes(path, bytes);
    return path;
  }

  const TempFolder folder_;
  std::string whole_;
};

int64_t DamagedCount(const std::vector<Frame>& frames) {
  return std::count_if(frames.begin(), frames.end(),
                       [](const Frame& frame) { return !frame.damage.empty(); });
}

TEST_F(VideoDamage, IsToldInTheLastFrameOfATruncatedFile) {
  const auto frames = ReadAll(Write(whole_.substr(0, whole_.size() / 2)));
  EXPECT_GT(frames.size(), 10U);
  EXPECT_LT(frames.size(), size_t{kFrames});
  EXPECT_THAT(frames.back().damage, HasSubstr("the file ends early"));
  EXPECT_LE(DamagedCount(frames), 3);
  EXPECT_EQ(frames.front().damage, "");
}

TEST_F(VideoDamage, IsToldWhereItIs) {
  std::string bytes = whole_;
  const size_t middle = bytes.find("mdat") + (bytes.size() - bytes.find("mdat")) / 2;
  std::mt19937 random(7);
  for (size_t i = 0; i < 3000; ++i) bytes[middle + i] = static_cast<char>(random());
  const auto path = Write(bytes);
  const auto frames = ReadAll(path);
  EXPECT_GE(frames.size(), size_t{kFrames} - 3);
  EXPECT_GE(DamagedCount(frames), 1);
  EXPECT_LE(DamagedCount(frames), 12);
  for (size_t i = 0; i < frames.size() / 3; ++i) EXPECT_EQ(frames[i].damage, "") << i;
  for (size_t i = 1; i < frames.size(); ++i) EXPECT_GT(frames[i].timestamp_ns, frames[i - 1].timestamp_ns);
  for (int run = 0; run < 5; ++run) {
    const auto again = ReadAll(path);
    ASSERT_EQ(again.size(), frames.size());
    for (size_t i = 0; i < frames.size(); ++i) {
      EXPECT_TRUE(again[i].rgb == frames[i].rgb && again[i].damage == frames[i].damage) << i;
    }
  }
}

TEST_F(VideoDamage, NeverEndsTheProgram) {
  std::mt19937 random(11);
  for (int run = 0; run < 40; ++run) {
    std::string bytes = whole_.substr(0, run % 4 == 0 ? random() % whole_.size() : whole_.size());
    const size_t reach = run % 2 == 0 ? 2000 : bytes.size();  // of the index, or anywhere
    for (int i = 0; i < 30 && !bytes.empty(); ++i) {
      bytes[random() % std::min(reach, bytes.size())] = static_cast<char>(random());
    }
    const auto path = Write(bytes);
    const std::string message = ErrorFrom([&] { ReadAll(path); });
    EXPECT_TRUE(message == "no error" || message.starts_with(path.string())) << message;
  }
}

TEST_F(VideoDamage, WithoutAnIndexIsAClearError) {
  const auto path = Write(whole_.substr(0, 40));
  EXPECT_EQ(ErrorFrom([&] { ReadAll(path); }),
            path.string() + ": begins like mov,mp4,m4a,3gp,3g2,mj2 but has no streams; it may be cut short");
}

}  // namespace
}  // namespace calfvo
