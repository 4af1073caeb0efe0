// SPDX-License-Identifier: Apache-2.0
// What stands in for camera.cc in a build without FFmpeg or without its libavdevice.
#include "calfvo/error.h"
#include "io/video/source_kinds.h"

namespace calfvo {

std::unique_ptr<FrameSource> OpenCamera(const std::string& input, const SourceOptions&) {
  throw Error(input + ": this build has no libavdevice for cameras; pipe y4m to standard input instead");
}

}  // namespace calfvo
