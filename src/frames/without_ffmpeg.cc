// SPDX-License-Identifier: Apache-2.0
// What stands in for video_writer.cc and video_reader.cc in a build without FFmpeg.
#include "calfvo/error.h"
#include "frames/frame_reader.h"
#include "frames/video_writer.h"

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

std::unique_ptr<FrameReader> OpenVideo(const std::filesystem::path& path, const SourceOptions&) {
  throw Error(path.string() +
              ": this build has no FFmpeg and reads only y4m, PNG, JPEG, PPM and PGM; convert the video with "
              "'ffmpeg -i VIDEO -pix_fmt yuv420p -f yuv4mpegpipe - | calfvo ... -'");
}

}  // namespace calfvo
