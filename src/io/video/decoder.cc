// SPDX-License-Identifier: Apache-2.0
#include "io/video/decoder.h"

#include <cstring>

#include "core/image/image_view.h"

namespace calfvo {
namespace {

// A decoder may leave parts of a damaged image unwritten; this fills them with grey.
int GetClearedBuffer(AVCodecContext* codec, AVFrame* frame, int flags) {
  const int result = avcodec_default_get_buffer2(codec, frame, flags);
  for (const AVBufferRef* buffer : frame->buf) {
    if (result >= 0 && buffer != nullptr) std::memset(buffer->data, 128, buffer->size);
  }
  return result;
}

}  // namespace

ffmpeg::Codec OpenDecoder(const AVCodecParameters& parameters, AVRational time_base,
                          const std::string& name) {
  ffmpeg::KeepQuiet();
  const AVCodec* decoder = avcodec_find_decoder(parameters.codec_id);
  if (decoder == nullptr) {
    throw Error(fmt::format("{}: this FFmpeg has no decoder for {}; convert the video, for example to H.264",
                            name, avcodec_get_name(parameters.codec_id)));
  }
  ffmpeg::Codec codec = ffmpeg::NotNull(ffmpeg::Codec(avcodec_alloc_context3(decoder)));
  ffmpeg::Check(avcodec_parameters_to_context(codec.get(), &parameters), name, "describe the video");
  codec->pkt_timebase = time_base;
  codec->max_pixels = int64_t{kMaxImageSide} * kMaxImageSide;
  // Damaged frames come too; Frame::damage marks them.
  codec->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT;
  // One thread, so that a file gives the same frames and damage marks each time. With several, FFmpeg's
  // output for damaged streams depends on their timing. Starting again with one thread at the first reported
  // damage does not suffice: of HEVC, several frames before the reported one already differ. One thread takes
  // 4 ms per frame of 720p H.264, beside the network.
  codec->thread_count = 1;
  codec->get_buffer2 = GetClearedBuffer;
  // This decoder reports damage only so; it gives the frame nevertheless.
  if (codec->codec_id == AV_CODEC_ID_HEVC) codec->err_recognition = AV_EF_EXPLODE;
  ffmpeg::Check(avcodec_open2(codec.get(), decoder, nullptr), name, "start its decoder");
  return codec;
}

std::string DamageOf(const AVFrame& image) {
  const bool is_damaged = (image.flags & AV_FRAME_FLAG_CORRUPT) != 0 || image.decode_error_flags != 0;
  return is_damaged ? "decoded with errors" : "";
}

}  // namespace calfvo
