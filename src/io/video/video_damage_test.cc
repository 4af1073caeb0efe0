// SPDX-License-Identifier: Apache-2.0
// Videos with missing and wrong bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "io/video/test_media.h"
#include "io/video/video_writer.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

constexpr int kFrames = 60;

// Noise in a smooth image, so that packets have some length.
std::string TestVideo(const std::filesystem::path& path) {
  VideoWriter writer(path, {.width = 128, .height = 96, .rate = {30, 1}});
  std::mt19937 random(5);
  for (int i = 0; i < kFrames; ++i) {
    std::vector<uint8_t> rgb;
    for (int k = 0; k < 128 * 96; ++k) {
      for (const int base : {60 + i, 90, 120}) rgb.push_back(static_cast<uint8_t>(base + random() % 40));
    }
    writer.Add({128, 96, PixelFormat::kRgb8, rgb.data(), 384});
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

TEST_F(VideoDamage, MarksTheLastFrameOfATruncatedFile) {
  const auto frames = ReadAll(Write(whole_.substr(0, whole_.size() / 2)));
  EXPECT_GT(frames.size(), 10U);
  EXPECT_LT(frames.size(), size_t{kFrames});
  EXPECT_THAT(frames.back().damage, HasSubstr("the file ends early"));
  EXPECT_LE(DamagedCount(frames), 3);
  EXPECT_EQ(frames.front().damage, "");
}

TEST_F(VideoDamage, MarksTheDamagedFrames) {
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
}

// Several threads of FFmpeg would not manage that.
TEST_F(VideoDamage, GivesTheSameFramesEachTime) {
  std::string bytes = whole_;
  const size_t first = bytes.size() / 3;
  std::mt19937 random(13);
  for (int i = 0; i < 60; ++i) bytes[first + random() % (bytes.size() - first)] = static_cast<char>(random());
  const auto path = Write(bytes);
  const auto frames = ReadAll(path);
  EXPECT_GE(DamagedCount(frames), 5);
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
  // A phone's files have their index last, ours have it first.
  std::string as_phones_do = whole_;
  const size_t moov = whole_.find("moov") - 4;
  const size_t mdat = whole_.find("mdat") - 4;
  ASSERT_LT(moov, mdat);
  std::rotate(as_phones_do.begin() + static_cast<ptrdiff_t>(moov),
              as_phones_do.begin() + static_cast<ptrdiff_t>(mdat), as_phones_do.end());
  const size_t index_size = mdat - moov;
  for (const std::string& cut :
       {whole_.substr(0, 40), whole_.substr(0, mdat - index_size / 2), as_phones_do.substr(0, moov + 12),
        as_phones_do.substr(0, as_phones_do.size() / 2),
        as_phones_do.substr(0, as_phones_do.size() - index_size),
        as_phones_do.substr(0, as_phones_do.size() - index_size + 30)}) {
    const auto path = Write(cut);
    EXPECT_EQ(ErrorFrom([&] { ReadAll(path); }),
              path.string() +
                  ": is an MP4 or MOV file without a whole index (moov): the recording was broken "
                  "off, or the file was not copied to the end")
        << cut.size();
  }
}

}  // namespace
}  // namespace calfvo
