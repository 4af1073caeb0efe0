// SPDX-License-Identifier: Apache-2.0
#include "io/video/video_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/testing.h"
#include "io/video/ffmpeg_handles.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

// Smooth colours with a moving edge.
std::vector<uint8_t> TestImage(int width, int height, int index) {
  std::vector<uint8_t> rgb;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool bright = x < 10 + 2 * index;
      rgb.push_back(static_cast<uint8_t>(bright ? 200 : 40 + x));
      rgb.push_back(static_cast<uint8_t>(60 + y));
      rgb.push_back(static_cast<uint8_t>(bright ? 90 : 3 * index + 50));
    }
  }
  return rgb;
}

void WriteVideo(const std::filesystem::path& path, const VideoOptions& options, int count) {
  VideoWriter writer(path, options);
  for (int i = 0; i < count; ++i) {
    const auto rgb = TestImage(options.width, options.height, i);
    writer.Add({options.width, options.height, PixelFormat::kRgb8, rgb.data(), ptrdiff_t{3} * options.width});
  }
  writer.Finish();
}

struct DecodedVideo {
  std::vector<double> times_s;
  std::vector<std::vector<uint8_t>> images;
  int width = 0;
  int height = 0;
};

// Every image of a video, through FFmpeg's decoder.
DecodedVideo Decode(const std::filesystem::path& path) {
  AVFormatContext* opened = nullptr;
  ffmpeg::Check(avformat_open_input(&opened, path.c_str(), nullptr, nullptr), path, "open");
  const ffmpeg::Input input(opened);
  ffmpeg::Check(avformat_find_stream_info(opened, nullptr), path, "read");
  const AVStream& stream = *input->streams[0];
  const AVCodec* decoder = avcodec_find_decoder(stream.codecpar->codec_id);
  const ffmpeg::Codec codec(avcodec_alloc_context3(decoder));
  avcodec_parameters_to_context(codec.get(), stream.codecpar);
  codec->thread_count = 1;
  ffmpeg::Check(avcodec_open2(codec.get(), decoder, nullptr), path, "decode");
  const ffmpeg::Packet packet(av_packet_alloc());
  const ffmpeg::Frame frame(av_frame_alloc());
  DecodedVideo decoded;
  decoded.width = codec->width;
  decoded.height = codec->height;
  const ffmpeg::Scaler scaler(sws_getContext(codec->width, codec->height, codec->pix_fmt, codec->width,
                                             codec->height, AV_PIX_FMT_RGB24, SWS_BICUBIC | SWS_ACCURATE_RND,
                                             nullptr, nullptr, nullptr));
  const int* bt709 = sws_getCoefficients(SWS_CS_ITU709);
  sws_setColorspaceDetails(scaler.get(), bt709, 0, bt709, 1, 0, 1 << 16, 1 << 16);
  bool more = true;
  while (more) {
    more = av_read_frame(input.get(), packet.get()) >= 0;
    avcodec_send_packet(codec.get(), more ? packet.get() : nullptr);
    av_packet_unref(packet.get());
    while (avcodec_receive_frame(codec.get(), frame.get()) >= 0) {
      decoded.times_s.push_back(static_cast<double>(frame->pts) * av_q2d(stream.time_base));
      std::vector<uint8_t> rgb(size_t{3} * codec->width * codec->height + 64);
      uint8_t* rows = rgb.data();
      const int stride = 3 * codec->width;
      sws_scale(scaler.get(), frame->data, frame->linesize, 0, codec->height, &rows, &stride);
      decoded.images.push_back(std::move(rgb));
    }
  }
  return decoded;
}

// Over the first width × height pixels of a decoded image that may be larger.
double Psnr(const std::vector<uint8_t>& truth, int width, int height, const std::vector<uint8_t>& decoded,
            int decoded_width) {
  double sum = 0.0;
  for (int y = 0; y < height; ++y) {
    for (int i = 0; i < 3 * width; ++i) {
      const double d = static_cast<double>(truth[size_t{3} * y * width + i]) -
                       static_cast<double>(decoded[size_t{3} * y * decoded_width + i]);
      sum += d * d;
    }
  }
  return 10.0 * std::log10(255.0 * 255.0 / (sum / (3.0 * width * height) + 1e-9));
}

class VideoWriterOfSize : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(VideoWriterOfSize, ComesBack) {
  const auto [width, height] = GetParam();
  const TempFolder folder;
  const VideoOptions options{.width = width, .height = height, .rate = {30000, 1001}};
  WriteVideo(folder.path() / "a.mp4", options, 20);
  EXPECT_EQ(folder.FileCount(), 1);
  const DecodedVideo decoded = Decode(folder.path() / "a.mp4");
  ASSERT_EQ(decoded.images.size(), 20U);
  EXPECT_EQ(decoded.width, width + width % 2);
  EXPECT_EQ(decoded.height, height + height % 2);
  for (int i = 0; i < 20; ++i) {
    EXPECT_NEAR(decoded.times_s[i], i * 1001.0 / 30000.0, 1e-6);
    EXPECT_GT(Psnr(TestImage(width, height, i), width, height, decoded.images[i], decoded.width), 30.0) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, VideoWriterOfSize,
                         testing::Values(std::pair{96, 64}, std::pair{97, 65}, std::pair{16, 63}));

TEST(VideoWriter, SameImagesGiveTheSameBytes) {
  const TempFolder folder;
  for (const int width : {96, 150}) {
    const VideoOptions options{.width = width, .height = 64, .rate = {25, 1}};
    for (const char* name : {"a", "b", "c", "d"}) WriteVideo(folder.path() / name, options, 30);
    for (const char* name : {"b", "c", "d"}) {
      EXPECT_TRUE(ReadWholeFile(folder.path() / "a") == ReadWholeFile(folder.path() / name)) << width;
    }
  }
}

TEST(VideoWriter, LeavesNothingBehindWithoutFinish) {
  const TempFolder folder;
  {
    VideoWriter writer(folder.path() / "a.mp4", {.width = 32, .height = 32});
    const auto rgb = TestImage(32, 32, 0);
    writer.Add({32, 32, PixelFormat::kRgb8, rgb.data(), 96});
  }
  EXPECT_EQ(folder.FileCount(), 0);
}

TEST(VideoWriter, RefusesWhatMakesNoSense) {
  const TempFolder folder;
  const auto path = folder.path() / "a.mp4";
  EXPECT_EQ(ErrorFrom([&] { VideoWriter(path, {.width = 0, .height = 32}); }),
            "width is 0; expected 1 to 16384");
  EXPECT_EQ(ErrorFrom([&] {
              VideoWriter(path, {.width = 32, .height = 32, .rate = {0, 1}});
            }),
            "rate.numerator is 0; expected 1 to 1000000");
  EXPECT_THAT(ErrorFrom([&] { VideoWriter(folder.path() / "none" / "a.mp4", {.width = 32, .height = 32}); }),
              HasSubstr("none/a.mp4: cannot open for writing: No such file or directory"));
  const auto rgb = TestImage(16, 16, 0);
  EXPECT_THAT(ErrorFrom([&] {
                VideoWriter writer(path, {.width = 32, .height = 32});
                writer.Add({16, 16, PixelFormat::kRgb8, rgb.data(), 48});
              }),
              HasSubstr("image 0 is 16x16 rgb8; expected 32x32 rgb8"));
  EXPECT_EQ(folder.FileCount(), 0);
}

}  // namespace
}  // namespace calfvo
