// SPDX-License-Identifier: Apache-2.0
// Videos made by the program ffmpeg, read back and compared with ffprobe's output and the video's source.
#include "io/video/video_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "io/video/image_converter.h"
#include "io/video/test_media.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

class VideoReaderTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!HasFfmpegProgram()) GTEST_SKIP() << "needs the program ffmpeg";
  }
  std::filesystem::path Make(const std::string& arguments, const std::string& name) {
    RunFfmpeg(folder_.path(), arguments + " " + name);
    return folder_.path() / name;
  }

  const TempFolder folder_;
};

std::vector<double> TimesByFfprobe(const std::filesystem::path& path) {
  constexpr std::string_view kKey = "pts_time=";
  std::istringstream text(RunCommand(
      "ffprobe -v error -select_streams v:0 -show_entries frame=pts_time -of default " + path.string()));
  std::vector<double> times;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with(kKey)) times.push_back(std::stod(line.substr(kKey.size())));
  }
  return times;
}

void ExpectFfprobesTimes(const std::filesystem::path& path, size_t count) {
  const auto expected = TimesByFfprobe(path);
  const auto frames = ReadAll(path);
  ASSERT_EQ(frames.size(), count);
  ASSERT_EQ(expected.size(), count);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_NEAR(static_cast<double>(frames[i].timestamp_ns) * 1e-9, expected[i], 6e-7) << i;
    EXPECT_EQ(frames[i].index, static_cast<int64_t>(i));
    EXPECT_EQ(frames[i].damage, "");
    EXPECT_TRUE(i == 0 || frames[i].timestamp_ns > frames[i - 1].timestamp_ns);
  }
}

TEST_F(VideoReaderTest, LeavesTheProgramsLogLevelAlone) {
  const auto video = Make("-f lavfi -i testsrc=s=32x24:d=0.1", "a.mp4");
  const int before = av_log_get_level();
  av_log_set_level(AV_LOG_VERBOSE);
  av_log_set_callback([](void*, int, const char*, va_list) {});
  EXPECT_FALSE(ReadAll(video).empty());
  EXPECT_EQ(av_log_get_level(), AV_LOG_VERBOSE);
  av_log_set_level(AV_LOG_INFO);  // FFmpeg's default
  EXPECT_FALSE(ReadAll(video).empty());
  EXPECT_EQ(av_log_get_level(), AV_LOG_QUIET);
  av_log_set_callback(av_log_default_callback);
  av_log_set_level(before);
}

TEST_F(VideoReaderTest, HasTheContainersTimes) {
  const std::string source = "-f lavfi -i testsrc=size=64x48:rate=30000/1001:duration=1 ";
  ExpectFfprobesTimes(Make(source + "-c:v libx264 -bf 3 -g 12", "b_frames.mp4"), 30);
  ExpectFfprobesTimes(Make(source + "-c:v libx264 -bf 2 -copyts -output_ts_offset 5", "late.mkv"), 30);
  ExpectFfprobesTimes(Make(source + "-c:v mpeg2video -bf 2", "mpeg2.ts"), 30);
  ExpectFfprobesTimes(Make(source + "-c:v mpeg4", "mpeg4.avi"), 30);
  ExpectFfprobesTimes(Make(source + "-c:v libvpx-vp9 -deadline realtime -cpu-used 8", "vp9.webm"), 30);
  ExpectFfprobesTimes(Make(source + "-c:v libx265 -x265-params log-level=none", "hevc.mp4"), 30);
}

TEST_F(VideoReaderTest, HasTheTimesOfAVariableRate) {
  ExpectFfprobesTimes(
      Make("-f lavfi -i testsrc=size=64x48:rate=50:duration=1 -vf \"select='not(mod(n,3))+lt(mod(n,7),2)'\" "
           "-vsync vfr -c:v libx264 -bf 2",
           "vfr.mp4"),
      27);
}

TEST_F(VideoReaderTest, RoundsTimesToTheNanosecond) {
  const auto path = Make(
      "-f lavfi -i testsrc=size=64x48:rate=30000/1001:duration=0.2 -c:v libx264 -bf 0 "
      "-video_track_timescale 30000",
      "a.mp4");
  const auto frames = ReadAll(path);
  ASSERT_EQ(frames.size(), 6U);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(frames[i].timestamp_ns, std::llround(i * 1001.0 / 30000.0 * 1e9)) << i;
}

TEST_F(VideoReaderTest, DescribesTheVideoBeforeTheFirstFrame) {
  const auto path = Make("-f lavfi -i testsrc=size=64x48:rate=25:duration=2 -c:v libx264", "a.mp4");
  const auto source = OpenFrames(path.string(), {.stride = 5, .start_s = 1.0});
  EXPECT_EQ(source->info().kind, "video");
  EXPECT_EQ(source->info().description, "64x48 h264, 25 frames/s, 2.0 s");
  EXPECT_EQ(source->info().frame_count, 5);
  EXPECT_FALSE(source->info().is_live);
  EXPECT_EQ(ReadAll(*source).size(), 5U);
}

// Flat colours keep their values, whatever they are coded as.
class Colours : public VideoReaderTest, public testing::WithParamInterface<const char*> {};

TEST_P(Colours, ComeBack) {
  const std::vector<std::vector<int>> colours{{200, 100, 50}, {20, 160, 240}, {255, 255, 255}, {0, 0, 0}};
  std::string stripes = "P6 64 50 255\n";
  for (int i = 0; i < 64 * 50; ++i) {
    for (const int value : colours[i % 64 / 16]) stripes.push_back(static_cast<char>(value));
  }
  WriteBytes(folder_.path() / "stripes.ppm", stripes);
  const auto frames = ReadAll(Make(std::string("-i stripes.ppm ") + GetParam(), "a.mkv"));
  ASSERT_EQ(frames.size(), 1U);
  for (int stripe = 0; stripe < 4; ++stripe) {
    for (const int x : {4, 8, 11}) {
      EXPECT_TRUE(IsNear(Pixel(frames[0], 16 * stripe + x, 49), colours[stripe], 2)) << stripe;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Codings, Colours,
    testing::Values(
        "-vf scale=out_color_matrix=bt601 -pix_fmt yuv420p -c:v libx264 -qp 4",
        "-vf scale=out_color_matrix=bt601 -pix_fmt yuv420p -colorspace smpte170m -c:v libx264 -qp 4",
        "-vf scale=out_color_matrix=bt709 -pix_fmt yuv420p -colorspace bt709 -c:v libx264 -qp 4",
        "-vf scale=out_color_matrix=bt709:out_range=full -pix_fmt yuv420p -colorspace bt709 "
        "-color_range pc -c:v libx264 -qp 4",
        "-vf scale=out_color_matrix=bt2020 -pix_fmt yuv420p10le -colorspace bt2020nc -c:v libx264 -qp 4",
        "-vf scale=out_color_matrix=bt709:out_range=full -pix_fmt yuv444p10le -colorspace bt709 "
        "-color_range pc -c:v libx264 -qp 4",
        "-vf scale=out_color_matrix=bt601:out_range=full -pix_fmt yuvj420p -c:v mjpeg -q:v 1",
        "-pix_fmt bgr0 -c:v ffv1", "-pix_fmt gbrp -c:v ffv1", "-pix_fmt bgra -c:v ffv1"));

TEST_F(VideoReaderTest, TakesBt709ForLargeImagesThatDoNotSay) {
  const auto path = Make(
      "-f lavfi -i color=0xC86432:size=1280x720:rate=5:duration=0.2,format=gbrp "
      "-vf scale=out_color_matrix=bt709 -pix_fmt yuv420p -c:v mpeg4 -q:v 1",
      "a.avi");
  EXPECT_TRUE(IsNear(Pixel(ReadAll(path)[0], 640, 360), {200, 100, 50}, 3));
}

// From y4m, because ffmpeg's program makes wrong chroma for odd sizes.
TEST_F(VideoReaderTest, TakesSmallAndOddSizes) {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 2}, {17, 9}, {34, 6}, {41, 8}}) {
    const size_t chroma_size = static_cast<size_t>((width + 1) / 2 * ((height + 1) / 2));
    WriteBytes(folder_.path() / "a.y4m",
               "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) +
                   " F5:1 C420jpeg\nFRAME\n" + std::string(static_cast<size_t>(width * height), 123) +
                   std::string(chroma_size, 91) + std::string(chroma_size, static_cast<char>(175)));
    const auto frames = ReadAll(Make("-i a.y4m -c:v ffv1", "small.mkv"));
    ASSERT_EQ(frames.size(), 1U);
    ASSERT_EQ(frames[0].rgb.size(), size_t{3} * width * height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        EXPECT_TRUE(IsNear(Pixel(frames[0], x, y), {200, 100, 50}, 2)) << width << " " << x << " " << y;
      }
    }
  }
}

// A red corner at the top left of the coded image, which is 64x48.
TEST_F(VideoReaderTest, TurnsImagesAsTheyAreDisplayed) {
  Make(
      "-f lavfi -i color=black:size=64x48:rate=5:duration=0.4 -vf drawbox=w=16:h=16:color=red:t=fill "
      "-pix_fmt yuv420p -c:v libx264 -qp 4",
      "plain.mp4");
  struct Case {
    int degrees;  // anticlockwise, as the display matrix
    int width, height, red_x, red_y;
  };
  for (const Case& expected : {Case{0, 64, 48, 4, 4}, Case{90, 48, 64, 4, 59}, Case{180, 64, 48, 59, 43},
                               Case{270, 48, 64, 43, 4}}) {
    const auto path =
        Make("-i plain.mp4 -c copy -metadata:s:v rotate=" + std::to_string(expected.degrees), "turned.mp4");
    const auto frames = ReadAll(path);
    ASSERT_EQ(frames.size(), 2U);
    EXPECT_EQ(frames[0].width, expected.width);
    EXPECT_EQ(frames[0].height, expected.height);
    EXPECT_THAT(OpenFrames(path)->info().description,
                testing::StartsWith(fmt::format("{}x{} ", expected.width, expected.height)));
    EXPECT_EQ(frames[0].rgb.size(), 64U * 48 * 3);
    EXPECT_TRUE(IsNear(Pixel(frames[0], expected.red_x, expected.red_y), {254, 0, 0}, 8)) << expected.degrees;
    EXPECT_TRUE(IsNear(Pixel(frames[0], expected.width / 2, expected.height / 2), {0, 0, 0}, 8));
    // ffmpeg's program turns images too.
    RunFfmpeg(folder_.path(),
              "-i turned.mp4 -sws_flags accurate_rnd -frames:v 1 -pix_fmt rgb24 -f rawvideo a.rgb");
    const std::string peer = ReadWholeFile(folder_.path() / "a.rgb");
    const size_t red = 3 * (static_cast<size_t>(expected.red_y) * expected.width + expected.red_x);
    ASSERT_EQ(peer.size(), frames[0].rgb.size());
    EXPECT_GT(static_cast<uint8_t>(peer[red]), 240) << expected.degrees;
  }
}

// By ffprobe, of the first frame.
std::string PixelAspectByFfprobe(const std::filesystem::path& path) {
  return RunCommand(
      "ffprobe -v error -select_streams v:0 -read_intervals %+#1 -show_entries frame=sample_aspect_ratio "
      "-of default=nokey=1:noprint_wrappers=1 " +
      path.string());
}

TEST_F(VideoReaderTest, ReadsThePixelAspect) {
  const std::string source = "-f lavfi -i testsrc=size=64x48:rate=5:duration=0.4,setsar=";
  struct Case {
    std::string arguments, name;
    double expected;
  };
  for (const Case& test :
       {Case{"16/15 -c:v libx264", "both.mp4", 16.0 / 15},
        Case{"64/45 -c:v mpeg4", "in_codec.avi", 64.0 / 45},
        Case{"3/2 -c:v mpeg4 -f m4v", "no_container.m4v", 1.5},
        Case{"8/9 -c:v ffv1", "in_container.mkv", 8.0 / 9}, Case{"1 -c:v libx264", "square.mp4", 1.0},
        Case{"0 -c:v ffv1", "unknown.mkv", 1.0}, Case{"100/1 -c:v libx264", "absurd.mp4", 1.0}}) {
    const auto frames = ReadAll(Make(source + test.arguments, test.name));
    ASSERT_EQ(frames.size(), 2U) << test.name;
    for (const Frame& frame : frames) {
      EXPECT_EQ(frame.pixel_aspect, test.expected) << test.name;
      EXPECT_EQ(frame.width, 64) << "the image itself is not stretched";
    }
  }
  EXPECT_EQ(PixelAspectByFfprobe(folder_.path() / "absurd.mp4"), "100:1\n");
}

TEST_F(VideoReaderTest, BelievesTheContainersPixelAspect) {
  Make("-f lavfi -i testsrc=size=64x48:rate=5:duration=0.4,setsar=4/3 -c:v mpeg4", "codec.mp4");
  const auto path = Make("-i codec.mp4 -c copy -aspect 2:1", "container.mkv");
  EXPECT_EQ(PixelAspectByFfprobe(path), "3:2\n");
  EXPECT_EQ(ReadAll(path)[0].pixel_aspect, 1.5);
}

TEST_F(VideoReaderTest, TurnsThePixelsToo) {
  Make("-f lavfi -i testsrc=size=64x48:rate=5:duration=0.4,setsar=3/2 -c:v libx264", "plain.mp4");
  for (const int degrees : {0, 90, 180, 270}) {
    const auto frames =
        ReadAll(Make("-i plain.mp4 -c copy -metadata:s:v rotate=" + std::to_string(degrees), "turned.mp4"));
    const bool is_upright = degrees % 180 == 0;
    EXPECT_EQ(frames[0].pixel_aspect, is_upright ? 1.5 : 2.0 / 3) << degrees;
    EXPECT_EQ(frames[0].WidthOverHeight(), is_upright ? 2.0 : 0.5) << degrees;
    // ffmpeg's program turns pixels too.
    EXPECT_EQ(PixelAspectByFfprobe(Make("-i turned.mp4 -c:v ffv1", "peer.mkv")),
              is_upright ? "3:2\n" : "2:3\n");
  }
}

TEST(Orientation, KnowsFlipsToo) {
  constexpr int32_t k = 1 << 16;
  const auto of = [](std::array<int32_t, 4> m) {
    const int32_t matrix[9] = {m[0], m[1], 0, m[2], m[3], 0, 0, 0, 1 << 30};
    return OrientationFromMatrix(matrix);
  };
  EXPECT_EQ(of({k, 0, 0, k}), (Orientation{false, false, false}));
  EXPECT_EQ(of({-k, 0, 0, k}), (Orientation{false, true, false}));
  EXPECT_EQ(of({0, k, k, 0}), (Orientation{true, false, false}));
  EXPECT_EQ(of({0, k, -k, 0}), (Orientation{true, true, false}));
  EXPECT_EQ(of({INT32_MIN, 0, 0, INT32_MIN}), (Orientation{false, true, true}));
}

TEST_F(VideoReaderTest, FollowsASizeThatChanges) {
  Make("-f lavfi -i color=red:size=64x48:rate=5:duration=0.4 -c:v mjpeg", "a.mjpeg");
  Make("-f lavfi -i color=blue:size=96x80:rate=5:duration=0.4 -c:v mjpeg", "b.mjpeg");
  const auto both = folder_.path() / "both.mjpeg";
  WriteBytes(both, ReadWholeFile(folder_.path() / "a.mjpeg") + ReadWholeFile(folder_.path() / "b.mjpeg"));
  const auto frames = ReadAll(both);
  ASSERT_EQ(frames.size(), 4U);
  EXPECT_EQ(frames[1].width, 64);
  EXPECT_EQ(frames[3].width, 96);
  EXPECT_EQ(frames[3].height, 80);
  EXPECT_GT(Pixel(frames[3], 90, 70)[2], 240);
  for (size_t i = 1; i < 4; ++i) EXPECT_GT(frames[i].timestamp_ns, frames[i - 1].timestamp_ns);
}

TEST_F(VideoReaderTest, ChoosesStreams) {
  const auto path = Make(
      "-f lavfi -i color=red:size=64x48:rate=5:duration=0.4 -f lavfi -i "
      "color=blue:size=32x32:rate=5:duration=0.4 -f lavfi -i sine=duration=0.4 "
      "-map 2 -map 0 -map 1 -c:v libx264 -c:a flac",
      "two.mkv");
  EXPECT_EQ(ReadAll(path)[0].width, 64);
  EXPECT_EQ(ReadAll(path, {.stream = 0})[0].width, 64);
  EXPECT_EQ(ReadAll(path, {.stream = 1})[0].width, 32);
  EXPECT_EQ(ErrorFrom([&] { ReadAll(path, {.stream = 2}); }),
            path.string() + ": has no video stream 2; it has 2, counted from 0");
}

TEST_F(VideoReaderTest, DoesNotTakeACoverForAVideo) {
  Make("-f lavfi -i color=red:size=64x48 -frames:v 1", "cover.png");
  const auto path = Make(
      "-f lavfi -i sine=duration=0.4 -i cover.png -map 0 -map 1 -c:a flac -c:v copy "
      "-disposition:v attached_pic",
      "song.flac");
  EXPECT_EQ(ErrorFrom([&] { ReadAll(path); }),
            path.string() + ": has no video, only 2 other stream(s) of flac; give a file with images");
}

// A byte that no text has gets them past the look for text.
TEST_F(VideoReaderTest, OpensNoFileButTheOneGiven) {
  Make("-f lavfi -i testsrc=size=64x48:rate=25:duration=1", "other.ts");
  const std::string head = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#\x01\n#EXTINF:1.0,\n";
  const std::string playlists[] = {
      head + "other.ts\n#EXT-X-ENDLIST\n",
      head + "other.ts\n",  // one that goes on
      head + (folder_.path() / "other.ts").string() + "\n#EXT-X-ENDLIST\n",
      head + "list.mp4\n#EXT-X-ENDLIST\n",
      "ffconcat version 1.0\n#\x01\nfile other.ts\n",
      "ffconcat version 1.0\n#\x01\nfile list.mp4\n",
      // A description of a broadcast, which FFmpeg would listen for.
      "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=\x01\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n"
      "m=video 34567 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n",
  };
  const auto path = folder_.path() / "list.mp4";
  for (const std::string& playlist : playlists) {
    WriteBytes(path, playlist);
    EXPECT_THAT(ErrorFrom([&] { ReadAll(path); }), HasSubstr("list.mp4: cannot be read as a video: "))
        << playlist;
  }
}

// FFmpeg's reader of such files would open them by name, and look for a series where the name has a %.
TEST_F(VideoReaderTest, ReadsImagesThatOnlyFfmpegKnows) {
  for (const char* name : {"a.bmp", "a.tga", "a.tiff", "a.webp"}) {
    const auto path = Make("-f lavfi -i color=red:size=64x48 -frames:v 1", name);
    ASSERT_EQ(ReadAll(path).size(), 1U) << name;
    EXPECT_TRUE(IsNear(Pixel(ReadAll(path)[0], 5, 5), {255, 0, 0}, 3)) << name;
  }
  std::filesystem::rename(folder_.path() / "a.bmp", folder_.path() / "a%03d.bmp");
  EXPECT_EQ(ReadAll(folder_.path() / "a%03d.bmp").size(), 1U);
}

TEST_F(VideoReaderTest, GivesTheSameBytesEachTime) {
  const auto path = Make("-f lavfi -i testsrc=size=160x120:rate=25:duration=2 -c:v libx264 -bf 3", "a.mp4");
  const auto once = ReadAll(path);
  for (int run = 0; run < 3; ++run) {
    const auto again = ReadAll(path);
    ASSERT_EQ(again.size(), once.size());
    for (size_t i = 0; i < once.size(); ++i) EXPECT_TRUE(once[i].rgb == again[i].rgb) << i;
  }
}

}  // namespace
}  // namespace calfvo
