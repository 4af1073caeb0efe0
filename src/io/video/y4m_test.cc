// SPDX-License-Identifier: Apache-2.0
#include "io/video/y4m.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "io/video/source_kinds.h"
#include "io/video/test_media.h"

namespace calfvo {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::string HeaderError(const std::string& line) {
  return ErrorFrom([&] { ParseY4mHeader(line, "a.y4m"); });
}

TEST(Y4mHeader, ReadsItsFields) {
  const Y4mHeader header =
      ParseY4mHeader("YUV4MPEG2 W5 H3 F60000:2002 Ip A1:1 C420jpeg XYSCSS=420JPEG XCOLORRANGE=FULL", "a.y4m");
  EXPECT_EQ(header.width, 5);
  EXPECT_EQ(header.height, 3);
  EXPECT_EQ(header.rate, (FrameRate{30000, 1001}));
  EXPECT_TRUE(header.full_range);
  EXPECT_EQ(header.ImageSize(), 15U + 2 * 3 * 2);
  EXPECT_EQ(ParseY4mHeader("YUV4MPEG2 W5 H3 C422", "").ImageSize(), 15U + 2 * 3 * 3);
  EXPECT_EQ(ParseY4mHeader("YUV4MPEG2 W5 H3 C444", "").ImageSize(), 45U);
  EXPECT_EQ(ParseY4mHeader("YUV4MPEG2 W5 H3 Cmono F0:0", "").ImageSize(), 15U);
  EXPECT_EQ(ParseY4mHeader("YUV4MPEG2 W5 H3 Cmono F0:0", "").rate, (FrameRate{30, 1}));
}

TEST(Y4mHeader, ReadsThePixelAspect) {
  const auto aspect = [](const std::string& field) {
    return ParseY4mHeader("YUV4MPEG2 W5 H3" + field, "").pixel_aspect;
  };
  EXPECT_EQ(aspect(""), 1.0);
  EXPECT_EQ(aspect(" A0:0"), 1.0);
  EXPECT_EQ(aspect(" A1:1"), 1.0);
  EXPECT_EQ(aspect(" A2000000000:2000000000"), 1.0);
  EXPECT_EQ(aspect(" A128:117"), 128.0 / 117);
  EXPECT_EQ(aspect(" A1:16"), 1.0 / 16);
  EXPECT_EQ(aspect(" A16:1"), 16.0);
}

TEST(Y4mHeader, NamesTheWrongField) {
  EXPECT_EQ(HeaderError("YUV4MPEG2 W0 H3"), "a.y4m: y4m header field 'W0'; expected 1 to 16384 px");
  EXPECT_EQ(HeaderError("YUV4MPEG2 W5 H16385"), "a.y4m: y4m header field 'H16385'; expected 1 to 16384 px");
  EXPECT_EQ(HeaderError("YUV4MPEG2 W5 H3 C420p10"),
            "a.y4m: y4m header field 'C420p10'; expected 8-bit C420, C422, C444 or Cmono");
  for (const char* rate : {"F", "F30", "F30:0", "F0:1", "F1:4000", "F2147483647:1", "F:"}) {
    EXPECT_THAT(HeaderError(std::string("YUV4MPEG2 W5 H3 ") + rate),
                HasSubstr("expected a frame rate such as"));
  }
  EXPECT_EQ(
      HeaderError("YUV4MPEG2 W5 H3 A17:1"),
      "a.y4m: y4m header field 'A17:1'; expected a pixel's width : height such as A16:15, from A1:16 to "
      "A16:1");
  for (const char* aspect :
       {"A", "A:", "A1", "A1:", "A:1", "A1:0", "A0:1", "A-1:1", "A-1:-1", "A+1:1", "A1:17", "A1:1:1",
        "A1.5:1", "A1:1x", "A4294967297:1", "A1:99999999999999999999", "Anan:1"}) {
    EXPECT_THAT(HeaderError(std::string("YUV4MPEG2 W5 H3 ") + aspect),
                HasSubstr("expected a pixel's width : height"))
        << aspect;
  }
  EXPECT_EQ(HeaderError("YUV4MPEG2 W5 H3 W6"), "a.y4m: y4m header field 'W6'; expected only one field W");
  EXPECT_EQ(ParseY4mHeader("YUV4MPEG2 W5 H3 XA=1  XB=2", "a.y4m").width, 5);
  EXPECT_EQ(HeaderError("YUV4MPEG2 W5 H3 F30:1\r"),
            "a.y4m: the y4m header ends with CRLF; expected LF (was the stream written in text mode?)");
  EXPECT_THAT(HeaderError("YUV4MPEG2 W5"), HasSubstr("has no width or no height"));
  EXPECT_THAT(HeaderError("P6\x01"), HasSubstr("begins with 'P6\\x01'; expected y4m"));
  EXPECT_THAT(HeaderError(std::string("\0\0\0\x20"
                                      "ftypisom",
                                      12)),
              HasSubstr("is an MP4 or MOV file; expected y4m"));
  EXPECT_THAT(HeaderError("\x1a\x45\xdf\xa3\x01"), HasSubstr("is a Matroska or WebM file"));
  EXPECT_THAT(HeaderError(std::string(1024, 'x')), HasSubstr("its first line is longer than 1024 bytes"));
  EXPECT_THAT(HeaderError(""), HasSubstr("is empty; expected y4m"));
}

// Bars in strong colours and a ramp, 4:4:4 so that no chroma is synthetic.
constexpr const char* kImage = "-f lavfi -i smptebars=size=64x48:rate=25:duration=0.1 ";

class Y4mFormat : public testing::TestWithParam<const char*> {};

// The program repeats chroma samples too, as long as it is not asked for accuracy.
TEST_P(Y4mFormat, HasTheColoursThatFfmpegSees) {
  if (!HasFfmpegProgram()) GTEST_SKIP() << "needs the program ffmpeg";
  const TempFolder folder;
  RunFfmpeg(folder.path(), std::string(kImage) + GetParam() + " -strict -1 a.y4m");
  RunFfmpeg(folder.path(), "-i a.y4m -pix_fmt rgb24 -f rawvideo a.rgb");
  const std::string expected = ReadWholeFile(folder.path() / "a.rgb");
  const auto frames = ReadAll(folder.path() / "a.y4m");
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[2].timestamp_ns, 80'000'000);
  ASSERT_EQ(frames[0].rgb.size() * 3, expected.size());
  int worst = 0;
  for (size_t i = 0; i < frames[0].rgb.size(); ++i) {
    worst = std::max(worst, std::abs(int{frames[0].rgb[i]} - int{static_cast<uint8_t>(expected[i])}));
  }
  EXPECT_LE(worst, 3);
}

INSTANTIATE_TEST_SUITE_P(Formats, Y4mFormat,
                         testing::Values("-pix_fmt yuv420p", "-pix_fmt yuv422p", "-pix_fmt yuv444p",
                                         "-pix_fmt gray", "-pix_fmt yuvj420p", "-pix_fmt yuvj444p"));

std::string TwoFrames() {
  return "YUV4MPEG2 W2 H2 F10:1 C420\nFRAME\n\x80\x80\x80\x80\x80\x80"
         "FRAME Ip\n\x90\x90\x90\x90\x80\x80";
}

TEST(Y4mReader, GivesEveryFrameThePixelAspect) {
  const TempFolder folder;
  std::string bytes = TwoFrames();
  bytes.insert(bytes.find('\n'), " A16:15");
  WriteBytes(folder.path() / "a.y4m", bytes);
  const auto frames = ReadAll(folder.path() / "a.y4m");
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].pixel_aspect, 16.0 / 15);
  EXPECT_EQ(frames[1].pixel_aspect, 16.0 / 15);
  EXPECT_EQ(frames[1].width, 2) << "the image itself is not stretched";
}

TEST(Y4mReader, MarksALastFrameThatIsCutShort) {
  const TempFolder folder;
  const std::string whole = TwoFrames();
  WriteBytes(folder.path() / "a.y4m", whole.substr(0, whole.size() - 4));
  const auto frames = ReadAll(folder.path() / "a.y4m");
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_THAT(frames[0].damage, IsEmpty());
  EXPECT_EQ(frames[1].damage, "the stream ends after 2 of this frame's 6 bytes");
  EXPECT_TRUE(IsNear(Pixel(frames[1], 1, 0), {149, 149, 149}, 1)) << "what came";
  EXPECT_TRUE(IsNear(Pixel(frames[1], 1, 1), {130, 130, 130}, 1)) << "what was before";
}

TEST(Y4mReader, NamesWhereTheStreamIsBroken) {
  const TempFolder folder;
  const auto path = folder.path() / "a.y4m";
  std::string broken = TwoFrames();
  broken.insert(broken.find("FRAME Ip"), "X");
  WriteBytes(path, broken);
  EXPECT_EQ(ErrorFrom([&] { ReadAll(path); }),
            path.string() + ": frame 1 begins with 'XFRAME Ip'; expected 'FRAME': the stream is damaged");
  WriteBytes(path, "YUV4MPEG2 W16384 H16384 F10:1 C444\nFRAME\nabc");
  EXPECT_EQ(ErrorFrom([&] { ReadAll(path); }),
            path.string() + ": the stream ends after 3 of this frame's 805306368 bytes, which is the first");
}

TEST(Y4mReader, ReadsPipesAndStandardInput) {
  const TempFolder folder;
  const auto path = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { WriteBytes(path, TwoFrames()); });
  EXPECT_EQ(ReadAll(path).size(), 2U);
  writer.join();

  const int saved = ::dup(STDIN_FILENO);
  WriteBytes(folder.path() / "a.y4m", TwoFrames());
  const int file = ::open((folder.path() / "a.y4m").c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  EXPECT_EQ(ReadAll("-").size(), 2U);
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(file);
}

TEST(Y4mReader, StopsWaitingForSomebodyToWriteToAPipe) {
  const TempFolder folder;
  const std::string path = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::atomic<bool> stop = false;
  std::promise<void> returned;
  bool in_time = false;
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = true;
    in_time = returned.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
    if (!in_time) ::close(::open(path.c_str(), O_WRONLY));
  });
  EXPECT_EQ(ErrorFrom([&] { OpenFrames(path, {.stop = &stop}); }),
            path + ": stopped before any frame was read");
  returned.set_value();
  stopper.join();
  EXPECT_TRUE(in_time);
}

TEST(Y4mReader, StopsWaitingWhenAsked) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string frames = TwoFrames();
  ASSERT_EQ(::write(ends[1], frames.data(), frames.size()), static_cast<ssize_t>(frames.size()));
  std::atomic<bool> stop = false;
  const auto reader = OpenY4m(ends[0], "pipe", {.stop = &stop});
  Frame frame;
  EXPECT_TRUE(reader->Advance(frame));
  EXPECT_TRUE(reader->Advance(frame));
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = true;
  });
  EXPECT_FALSE(reader->Advance(frame));  // the other end is still open
  stopper.join();
  ::close(ends[1]);
}

}  // namespace
}  // namespace calfvo
