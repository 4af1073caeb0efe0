// SPDX-License-Identifier: Apache-2.0
#include "io/video/video_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/atomic_file.h"
#include "io/video/ffmpeg_handles.h"

namespace calfvo {
namespace {

// x264's images depend on the number of threads, so it is fixed.
constexpr int kEncoderThreads = 2;

const AVCodec* FindEncoder() {
  const AVCodec* x264 = avcodec_find_encoder_by_name("libx264");
  return x264 != nullptr ? x264 : avcodec_find_encoder(AV_CODEC_ID_H264);
}

int Even(int size) {
  return size + size % 2;
}

}  // namespace

class VideoWriter::Encoder {
 public:
  Encoder(std::filesystem::path path, const VideoOptions& options)
      : part_(std::move(path)), path_(part_.target()), options_(options) {
    OpenCodec();
    OpenFile();
    frame_ = ffmpeg::NotNull(ffmpeg::Frame(av_frame_alloc()));
    frame_->format = codec_->pix_fmt;
    frame_->width = codec_->width;
    frame_->height = codec_->height;
    ffmpeg::Check(av_frame_get_buffer(frame_.get(), 0), path_, "make an image");
    packet_ = ffmpeg::NotNull(ffmpeg::Packet(av_packet_alloc()));
    scaler_ = ffmpeg::NotNull(ffmpeg::Scaler(sws_getContext(
        codec_->width, codec_->height, AV_PIX_FMT_RGB24, codec_->width, codec_->height, codec_->pix_fmt,
        SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP | SWS_BITEXACT, nullptr, nullptr, nullptr)));
    const int* bt709 = sws_getCoefficients(SWS_CS_ITU709);
    sws_setColorspaceDetails(scaler_.get(), bt709, 1, bt709, 0, 0, 1 << 16, 1 << 16);
    padded_.resize(size_t{3} * codec_->width * codec_->height);
  }

  void Add(const ImageView& image) {
    if (image.width != options_.width || image.height != options_.height ||
        image.format != PixelFormat::kRgb8) {
      throw Error(fmt::format("{}: image {} is {}x{} {}; expected {}x{} rgb8", path_.string(), count_,
                              image.width, image.height, PixelFormatName(image.format), options_.width,
                              options_.height));
    }
    const uint8_t* rows = Padded(image);
    const int stride = 3 * codec_->width;
    ffmpeg::Check(av_frame_make_writable(frame_.get()), path_, "reuse an image");
    sws_scale(scaler_.get(), &rows, &stride, 0, codec_->height, frame_->data, frame_->linesize);
    frame_->pts = count_++;
    Encode(frame_.get());
  }

  void Finish() {
    Encode(nullptr);
    ffmpeg::Check(av_write_trailer(output_.get()), path_, "finish the file");
    ffmpeg::Check(avio_closep(&output_->pb), path_, "write");
    part_.Commit();
  }

 private:
  void OpenCodec() {
    const AVCodec* encoder = FindEncoder();
    if (encoder == nullptr) throw Error(path_.string() + ": this FFmpeg has no H.264 encoder");
    codec_ = ffmpeg::NotNull(ffmpeg::Codec(avcodec_alloc_context3(encoder)));
    codec_->width = Even(options_.width);
    codec_->height = Even(options_.height);
    codec_->pix_fmt = AV_PIX_FMT_YUV420P;
    codec_->time_base = {options_.rate.denominator, options_.rate.numerator};
    codec_->framerate = {options_.rate.numerator, options_.rate.denominator};
    codec_->thread_count = kEncoderThreads;
    codec_->color_range = AVCOL_RANGE_MPEG;
    codec_->colorspace = AVCOL_SPC_BT709;
    codec_->color_primaries = AVCOL_PRI_BT709;
    codec_->color_trc = AVCOL_TRC_BT709;
    codec_->flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_GLOBAL_HEADER;
    // Not every encoder knows these; one that does not keeps its own choice.
    av_opt_set_int(codec_->priv_data, "crf", options_.quality, 0);
    av_opt_set(codec_->priv_data, "preset", "veryfast", 0);
    // With AVX-512, x264's macroblock tree gives other bytes each time.
    av_opt_set(codec_->priv_data, "x264-params", "mbtree=0", 0);
    ffmpeg::Check(avcodec_open2(codec_.get(), encoder, nullptr), path_, "start the H.264 encoder");
  }

  void OpenFile() {
    AVFormatContext* output = nullptr;
    ffmpeg::Check(avformat_alloc_output_context2(&output, nullptr, "mp4", part_.path().c_str()), path_,
                  "start an MP4 file");
    output_.reset(output);
    output_->flags |= AVFMT_FLAG_BITEXACT;
    stream_ = ffmpeg::NotNull(avformat_new_stream(output, nullptr));
    stream_->time_base = codec_->time_base;
    stream_->avg_frame_rate = codec_->framerate;
    ffmpeg::Check(avcodec_parameters_from_context(stream_->codecpar, codec_.get()), path_,
                  "describe the video");
    ffmpeg::Check(avio_open(&output_->pb, part_.path().c_str(), AVIO_FLAG_WRITE), path_, "open for writing");
    // The index goes to the front, so that players can start before they have the whole file.
    AVDictionary* settings = nullptr;
    av_dict_set(&settings, "movflags", "+faststart", 0);
    const int result = avformat_write_header(output, &settings);
    av_dict_free(&settings);
    ffmpeg::Check(result, path_, "write");
  }

  // Sends an image, or the end with null, and writes what the encoder has ready.
  void Encode(const AVFrame* frame) {
    ffmpeg::Check(avcodec_send_frame(codec_.get(), frame), path_, "encode an image");
    while (true) {
      const int result = avcodec_receive_packet(codec_.get(), packet_.get());
      if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
      ffmpeg::Check(result, path_, "encode an image");
      packet_->duration = 1;
      av_packet_rescale_ts(packet_.get(), codec_->time_base, stream_->time_base);
      packet_->stream_index = stream_->index;
      ffmpeg::Check(av_interleaved_write_frame(output_.get(), packet_.get()), path_, "write");
      ffmpeg::Check(output_->pb->error, path_, "write");
    }
  }

  // The image with even sides, rows without gaps.
  const uint8_t* Padded(const ImageView& image) {
    const size_t used = size_t{3} * static_cast<size_t>(image.width);
    const size_t stride = size_t{3} * static_cast<size_t>(codec_->width);
    for (int y = 0; y < codec_->height; ++y) {
      const uint8_t* from = image.pixels + std::min(y, image.height - 1) * image.stride;
      uint8_t* to = padded_.data() + static_cast<size_t>(y) * stride;
      std::memcpy(to, from, used);
      if (stride > used) std::memcpy(to + used, from + used - 3, 3);
    }
    return padded_.data();
  }

  PartFile part_;  // first, so that it goes last, after the file has been closed
  const std::filesystem::path& path_;
  VideoOptions options_;
  ffmpeg::Codec codec_;
  ffmpeg::Output output_;
  AVStream* stream_ = nullptr;  // of output_
  ffmpeg::Frame frame_;
  ffmpeg::Packet packet_;
  ffmpeg::Scaler scaler_;
  std::vector<uint8_t> padded_;
  int64_t count_ = 0;
};

void VideoOptions::Validate() const {
  const auto check = [](const char* field, int value, int low, int high) {
    if (value >= low && value <= high) return;
    throw Error(fmt::format("{} is {}; expected {} to {}", field, value, low, high));
  };
  check("width", width, 1, kMaxImageSide);
  check("height", height, 1, kMaxImageSide);
  check("rate.numerator", rate.numerator, 1, 1'000'000);
  check("rate.denominator", rate.denominator, 1, 1'000'000);
  check("quality", quality, 0, 51);
}

bool VideoWriter::IsAvailable() {
  return FindEncoder() != nullptr;
}

VideoWriter::VideoWriter(const std::filesystem::path& path, const VideoOptions& options) {
  options.Validate();
  ffmpeg::KeepQuiet();
  encoder_ = std::make_unique<Encoder>(path, options);
}

VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;

void VideoWriter::Add(const ImageView& image) {
  encoder_->Add(image);
}

void VideoWriter::Finish() {
  encoder_->Finish();
}

}  // namespace calfvo
