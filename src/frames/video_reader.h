// SPDX-License-Identifier: Apache-2.0
// Frames of whatever FFmpeg has opened. Included by sources that use FFmpeg only.
#pragma once

#include <memory>
#include <string>

#include "frames/ffmpeg_handles.h"
#include "frames/frame_reader.h"

namespace calfvo {

enum class VideoKind { kFile, kCamera, kVirtualCamera };

// Opens `url` with FFmpeg's `format`, or the one its content suggests if null. `name` stands for it in
// messages. Of a file, nothing but this file is opened, whatever it names.
//
// Timestamps are the stream's, in nanoseconds, repaired where they do not increase (timestamp_repair.h). A
// packet that cannot be decoded marks the frame after it, or the last one. A file that ends early marks its
// last frame. H.264 and HEVC files are decoded by several threads; at the first damage the reader starts
// again with one, so that damaged frames too are the same each time. Everything else is decoded by one.
std::unique_ptr<FrameReader> ReadVideo(const std::string& url, const AVInputFormat* format,
                                       const std::string& name, VideoKind kind, const SourceOptions& options);

}  // namespace calfvo
