// SPDX-License-Identifier: Apache-2.0
// One kind of input. OpenFrames picks the kind; stride, cut and frame rate are laid over it (selection.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frames/frame_source.h"

namespace calfvo {

// Steps through all frames, and makes pictures only of those that are wanted.
class FrameReader {
 public:
  virtual ~FrameReader() = default;

  // To the next frame: its timestamp in nanoseconds, after the one before. Nothing at the end.
  virtual std::optional<int64_t> Advance() = 0;

  // Fills size, pixel aspect, picture and damage of the frame that was stepped to. At most once per frame.
  virtual void Read(Frame& frame) = 0;

  // As FrameSource::Cancel.
  virtual void Cancel() {}

  // `frame_count` is of all frames.
  virtual const SourceInfo& info() const = 0;
};

// A file that is none of our own formats. Only with FFmpeg; otherwise throws Error saying so.
std::unique_ptr<FrameReader> OpenVideo(const std::filesystem::path& path, const SourceOptions& options);

// A camera's device, or "lavfi:GRAPH". Only with FFmpeg and its libavdevice.
std::unique_ptr<FrameReader> OpenCamera(const std::string& input, const SourceOptions& options);

// A stream in YUV4MPEG2. Takes over `descriptor`; `name` stands for it in messages.
std::unique_ptr<FrameReader> OpenY4m(int descriptor, const std::string& name, const SourceOptions& options);

// A folder, a list of files (from a glob, or one alone) in any order.
std::unique_ptr<FrameReader> OpenImageFolder(const std::filesystem::path& folder);
std::unique_ptr<FrameReader> OpenImageFiles(const std::string& name,
                                            const std::vector<std::filesystem::path>& files);

}  // namespace calfvo
