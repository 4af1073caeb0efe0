// SPDX-License-Identifier: Apache-2.0
// The kinds of input, one per file beside this one. OpenFrames chooses among them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/video/frame_source.h"

namespace calfvo {

// Any file that FFmpeg reads. Throws Error in a build without FFmpeg.
std::unique_ptr<FrameSource> OpenVideo(const std::filesystem::path& path, const SourceOptions& options);

// A camera device, or "lavfi:GRAPH". Throws Error in a build without FFmpeg and libavdevice.
std::unique_ptr<FrameSource> OpenCamera(const std::string& input, const SourceOptions& options);

// The images of a topic of an MCAP file, ROS bag or rosbag2 file: `options.topic`, or the only one. Damaged
// messages repeat the image before; one before any image throws.
std::unique_ptr<FrameSource> OpenRecordedImages(const std::filesystem::path& path,
                                                const SourceOptions& options);

// A YUV4MPEG2 stream. Takes ownership of `descriptor`; messages call it `name`.
std::unique_ptr<FrameSource> OpenY4m(int descriptor, const std::string& name, const SourceOptions& options);

// The images of a folder, or listed files in any order.
std::unique_ptr<FrameSource> OpenImageFolder(const std::filesystem::path& folder);
std::unique_ptr<FrameSource> OpenImageFiles(const std::string& name,
                                            const std::vector<std::filesystem::path>& files);

}  // namespace calfvo
