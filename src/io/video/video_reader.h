// SPDX-License-Identifier: Apache-2.0
// Frames of whatever FFmpeg has opened. Included by sources that use FFmpeg only.
#pragma once

#include <memory>
#include <string>

#include "io/video/ffmpeg_handles.h"
#include "io/video/source_kinds.h"

namespace calfvo {

enum class VideoKind { kFile, kCamera, kVirtualCamera };

// Opens `url` with FFmpeg's `format`, or the one its content suggests if null. `name` stands for it in
// messages. Of a file, nothing but this file is opened, whatever it names.
//
// Timestamps are the stream's, in nanoseconds, repaired where they do not increase (timestamp_repair.h). A
// packet that cannot be decoded marks the frame after it, or the last one. A file that ends early marks its
// last frame. One thread decodes: a file, damaged or not, gives the same frames, timestamps and marks each
// time.
std::unique_ptr<FrameSource> ReadVideo(const std::string& url, const AVInputFormat* format,
                                       const std::string& name, VideoKind kind, const SourceOptions& options);

}  // namespace calfvo
