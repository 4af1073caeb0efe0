// SPDX-License-Identifier: Apache-2.0
#include "io/video/packet_decoder.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <utility>

#include "core/base/quoted.h"
#include "io/video/decoder.h"
#include "io/video/image_converter.h"

namespace calfvo {
namespace {

constexpr std::array kCodecs = {
    std::pair("264", AV_CODEC_ID_H264),  std::pair("265", AV_CODEC_ID_HEVC),
    std::pair("hevc", AV_CODEC_ID_HEVC), std::pair("vp9", AV_CODEC_ID_VP9),
    std::pair("av1", AV_CODEC_ID_AV1),
};

ffmpeg::Codec OpenDecoderOf(std::string_view codec, const std::string& name) {
  std::string lower(codec);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [part, id] : kCodecs) {
    if (lower.find(part) == std::string::npos) continue;
    const ffmpeg::Parameters parameters = ffmpeg::NotNull(ffmpeg::Parameters(avcodec_parameters_alloc()));
    parameters->codec_type = AVMEDIA_TYPE_VIDEO;
    parameters->codec_id = id;
    return OpenDecoder(*parameters, {1, 1}, name);
  }
  throw Error(
      fmt::format("{}: has video packets of {}; expected h264, h265, vp9 or av1", name, Quoted(codec)));
}

// Of a packet or an image, without the file's name.
void CheckDecoded(int result) {
  if (result >= 0) return;
  char reason[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(result, reason, sizeof(reason));
  throw Error(fmt::format("a packet could not be decoded: {}", reason));
}

}  // namespace

class PacketDecoder::Impl {
 public:
  Impl(const std::string& name, std::string_view codec)
      : codec_(OpenDecoderOf(codec, name)),
        image_(ffmpeg::NotNull(ffmpeg::Frame(av_frame_alloc()))),
        converter_(name, {}) {}

  void Send(std::string_view packet, int64_t number) {
    const ffmpeg::Packet copy = ffmpeg::NotNull(ffmpeg::Packet(av_packet_alloc()));
    // FFmpeg's own buffers have the padding that decoders read beyond the end.
    if (av_new_packet(copy.get(), static_cast<int>(packet.size())) < 0) throw std::bad_alloc();
    if (!packet.empty()) std::memcpy(copy->data, packet.data(), packet.size());
    copy->pts = copy->dts = number;
    CheckDecoded(avcodec_send_packet(codec_.get(), copy.get()));
  }

  void End() { avcodec_send_packet(codec_.get(), nullptr); }

  std::optional<int64_t> Next() {
    const int result = avcodec_receive_frame(codec_.get(), image_.get());
    if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return std::nullopt;
    CheckDecoded(result);
    return image_->pts;
  }

  void Read(Frame& frame) {
    converter_.Convert(*image_, frame);
    frame.damage = DamageOf(*image_);
  }

 private:
  const ffmpeg::Codec codec_;
  const ffmpeg::Frame image_;
  ImageConverter converter_;
};

PacketDecoder::PacketDecoder(const std::string& name, std::string_view codec)
    : impl_(std::make_unique<Impl>(name, codec)) {}
PacketDecoder::~PacketDecoder() = default;

void PacketDecoder::Send(std::string_view packet, int64_t number) {
  impl_->Send(packet, number);
}
void PacketDecoder::End() {
  impl_->End();
}
std::optional<int64_t> PacketDecoder::Next() {
  return impl_->Next();
}
void PacketDecoder::Read(Frame& frame) {
  impl_->Read(frame);
}

}  // namespace calfvo
