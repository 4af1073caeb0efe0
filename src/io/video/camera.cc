// SPDX-License-Identifier: Apache-2.0
// Cameras, real and synthetic, through libavdevice.
extern "C" {
#include <libavdevice/avdevice.h>
}

#include "io/video/video_reader.h"

namespace calfvo {

std::unique_ptr<FrameSource> OpenCamera(const std::string& input, const SourceOptions& options) {
  constexpr std::string_view kVirtual = "lavfi:";
  avdevice_register_all();
  const bool is_virtual = input.starts_with(kVirtual);
  const char* device = is_virtual ? "lavfi" : "v4l2";
  const AVInputFormat* format = av_find_input_format(device);
  if (format == nullptr) {
    throw Error(fmt::format("{}: this FFmpeg was built without the device {}", input, device));
  }
  const VideoKind kind = is_virtual ? VideoKind::kVirtualCamera : VideoKind::kCamera;
  const std::string url = is_virtual ? input.substr(kVirtual.size()) : input;
  return ReadVideo(url, format, input, kind, options);
}

}  // namespace calfvo
