// SPDX-License-Identifier: Apache-2.0
// What stands in for video_writer.cc and picture_reader.cc in a build without FFmpeg.
#include "calfvo/error.h"
#include "frames/picture_reader.h"
#include "frames/video_writer.h"

namespace calfvo {
namespace {

[[noreturn]] void Refuse(const std::filesystem::path& path) {
  throw Error(path.string() + ": this build has no FFmpeg (libavformat, libavcodec, libswscale)");
}

}  // namespace

class VideoWriter::Encoder {};

void VideoOptions::Validate() const {}

bool VideoWriter::IsAvailable() {
  return false;
}

VideoWriter::VideoWriter(const std::filesystem::path& path, const VideoOptions&) {
  Refuse(path);
}
VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;
VideoWriter& VideoWriter::operator=(VideoWriter&&) noexcept = default;
void VideoWriter::Add(const ImageView&) {}
void VideoWriter::Finish() {}

bool CanReadPictures() {
  return false;
}

Picture ReadPicture(const std::filesystem::path& path, int, int) {
  Refuse(path);
}

}  // namespace calfvo
