// SPDX-License-Identifier: Apache-2.0
#include "frames/picture_reader.h"

#include "frames/ffmpeg_handles.h"

namespace calfvo {
namespace {

constexpr int kLongestSide = 16384;

ffmpeg::Input OpenInput(const std::filesystem::path& path, int& stream, const AVCodec*& decoder) {
  AVFormatContext* opened = nullptr;
  // The protocol keeps names with colons from being taken for addresses.
  const std::string address = "file:" + path.string();
  ffmpeg::Check(avformat_open_input(&opened, address.c_str(), nullptr, nullptr), path, "read");
  ffmpeg::Input input(opened);
  ffmpeg::Check(avformat_find_stream_info(opened, nullptr), path, "read");
  stream = ffmpeg::Check(av_find_best_stream(opened, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0), path,
                         "find a picture");
  return input;
}

ffmpeg::Frame DecodeFirst(const std::filesystem::path& path) {
  int stream = 0;
  const AVCodec* decoder = nullptr;
  const ffmpeg::Input input = OpenInput(path, stream, decoder);
  const ffmpeg::Codec codec = ffmpeg::NotNull(ffmpeg::Codec(avcodec_alloc_context3(decoder)));
  codec->thread_count = 1;
  ffmpeg::Check(avcodec_parameters_to_context(codec.get(), input->streams[stream]->codecpar), path, "read");
  ffmpeg::Check(avcodec_open2(codec.get(), decoder, nullptr), path, "read");
  const ffmpeg::Packet packet = ffmpeg::NotNull(ffmpeg::Packet(av_packet_alloc()));
  ffmpeg::Frame frame = ffmpeg::NotNull(ffmpeg::Frame(av_frame_alloc()));
  bool more = true;
  while (more) {
    more = av_read_frame(input.get(), packet.get()) >= 0;
    if (more && packet->stream_index != stream) {
      av_packet_unref(packet.get());
      continue;
    }
    avcodec_send_packet(codec.get(), more ? packet.get() : nullptr);
    av_packet_unref(packet.get());
    if (avcodec_receive_frame(codec.get(), frame.get()) >= 0) return frame;
  }
  throw Error(path.string() + ": holds no picture that can be decoded");
}

// JPEG's full-range formats under the names that swscale expects; the range is set apart.
AVPixelFormat WithoutRange(int format) {
  switch (format) {
    case AV_PIX_FMT_YUVJ420P:
      return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUVJ422P:
      return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUVJ444P:
      return AV_PIX_FMT_YUV444P;
    case AV_PIX_FMT_YUVJ440P:
      return AV_PIX_FMT_YUV440P;
    default:
      return static_cast<AVPixelFormat>(format);
  }
}

}  // namespace

bool CanReadPictures() {
  return true;
}

Picture ReadPicture(const std::filesystem::path& path, int width, int height) {
  av_log_set_level(AV_LOG_FATAL);
  const ffmpeg::Frame frame = DecodeFirst(path);
  if (frame->width < 1 || frame->height < 1 || frame->width > kLongestSide || frame->height > kLongestSide) {
    throw Error(fmt::format("{}: {}x{} pixels; expected sides of 1 to {}", path.string(), frame->width,
                            frame->height, kLongestSide));
  }
  Picture picture;
  picture.width = width > 0 ? width : frame->width;
  picture.height = height > 0 ? height : frame->height;
  // swscale may write whole vectors beyond the last row: a margin lies behind it.
  const size_t bytes = size_t{3} * static_cast<size_t>(picture.width) * static_cast<size_t>(picture.height);
  picture.rgb.resize(bytes + 64);
  const AVPixelFormat format = WithoutRange(frame->format);
  const bool full_range = format != frame->format || frame->color_range == AVCOL_RANGE_JPEG;
  const ffmpeg::Scaler scaler = ffmpeg::NotNull(ffmpeg::Scaler(
      sws_getContext(frame->width, frame->height, format, picture.width, picture.height, AV_PIX_FMT_RGB24,
                     SWS_AREA | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT | SWS_FULL_CHR_H_INP | SWS_BITEXACT,
                     nullptr, nullptr, nullptr)));
  const int space = frame->colorspace == AVCOL_SPC_BT709 ? SWS_CS_ITU709 : SWS_CS_ITU601;
  const int* coefficients = sws_getCoefficients(space);
  sws_setColorspaceDetails(scaler.get(), coefficients, full_range ? 1 : 0, coefficients, 1, 0, 1 << 16,
                           1 << 16);
  uint8_t* rows = picture.rgb.data();
  const int stride = 3 * picture.width;
  sws_scale(scaler.get(), frame->data, frame->linesize, 0, frame->height, &rows, &stride);
  picture.rgb.resize(bytes);
  return picture;
}

}  // namespace calfvo
