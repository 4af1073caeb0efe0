// SPDX-License-Identifier: Apache-2.0
// What stands in for video_writer.cc, video_reader.cc and packet_decoder.cc in a build without FFmpeg.
#include "calfvo/error.h"
#include "io/video/packet_decoder.h"
#include "io/video/source_kinds.h"
#include "io/video/video_writer.h"

namespace calfvo {

class VideoWriter::Encoder {};

void VideoOptions::Validate() const {}

bool VideoWriter::IsAvailable() {
  return false;
}

VideoWriter::VideoWriter(const std::filesystem::path& path, const VideoOptions&) {
  throw Error(path.string() + ": this build has no FFmpeg (libavformat, libavcodec, libswscale)");
}
VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;
void VideoWriter::Add(const ImageView&) {}
void VideoWriter::Finish() {}

class PacketDecoder::Impl {};

PacketDecoder::PacketDecoder(const std::string& name, std::string_view) {
  throw Error(name + ": has video packets, and this build has no FFmpeg");
}
PacketDecoder::~PacketDecoder() = default;
void PacketDecoder::Send(std::string_view, int64_t) {}
void PacketDecoder::End() {}
std::optional<int64_t> PacketDecoder::Next() {
  return std::nullopt;
}
void PacketDecoder::Read(Frame&) {}

std::unique_ptr<FrameSource> OpenVideo(const std::filesystem::path& path, const SourceOptions&) {
  throw Error(path.string() +
              ": this build has no FFmpeg and reads only y4m, PNG, JPEG, PPM and PGM; convert the video with "
              "'ffmpeg -i VIDEO -pix_fmt yuv420p -f yuv4mpegpipe - | calfvo ... -'");
}

}  // namespace calfvo
