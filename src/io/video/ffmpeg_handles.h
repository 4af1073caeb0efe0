// SPDX-License-Identifier: Apache-2.0
// Owners of FFmpeg's C objects, and its error codes as Error. Included by sources of this folder only.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string_view>

#include "calfvo/error.h"

namespace calfvo::ffmpeg {

struct Free {
  void operator()(AVCodecContext* context) const { avcodec_free_context(&context); }
  void operator()(AVCodecParameters* parameters) const { avcodec_parameters_free(&parameters); }
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
  void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};
using Codec = std::unique_ptr<AVCodecContext, Free>;
using Parameters = std::unique_ptr<AVCodecParameters, Free>;
using Frame = std::unique_ptr<AVFrame, Free>;
using Packet = std::unique_ptr<AVPacket, Free>;
using Scaler = std::unique_ptr<SwsContext, Free>;

// Bytes of a file.
struct CloseFile {
  void operator()(AVIOContext* file) const { avio_closep(&file); }
};
using File = std::unique_ptr<AVIOContext, CloseFile>;

// A file or a camera opened for reading; a `pb` that FFmpeg did not open itself is closed too.
struct CloseInput {
  void operator()(AVFormatContext* input) const {
    const File file((input->flags & AVFMT_FLAG_CUSTOM_IO) != 0 ? input->pb : nullptr);
    avformat_close_input(&input);
  }
};
using Input = std::unique_ptr<AVFormatContext, CloseInput>;

// A file being written; its `pb` is closed too.
struct CloseOutput {
  void operator()(AVFormatContext* output) const {
    if (output->pb != nullptr) avio_closep(&output->pb);
    avformat_free_context(output);
  }
};
using Output = std::unique_ptr<AVFormatContext, CloseOutput>;

// Error and Frame::damage report problems, not FFmpeg's log. It has one level per process; a level that the
// program has set (other than FFmpeg's default) stays.
inline void KeepQuiet() {
  if (av_log_get_level() == AV_LOG_INFO) av_log_set_level(AV_LOG_QUIET);
}

// Passes on results that are not errors; throws naming the file, the action and FFmpeg's reason otherwise.
inline int Check(int result, const std::filesystem::path& path, std::string_view action) {
  if (result >= 0) return result;
  char reason[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(result, reason, sizeof(reason));
  throw Error(fmt::format("{}: cannot {}: {}", path.string(), action, reason));
}

// For functions that return null when memory runs out.
template <typename Pointer>
Pointer NotNull(Pointer pointer) {
  if (!pointer) throw std::bad_alloc();
  return pointer;
}

}  // namespace calfvo::ffmpeg
