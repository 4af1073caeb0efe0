// SPDX-License-Identifier: Apache-2.0
// Where images come from: video files, folders of images, cameras, a y4m stream, recordings of robots.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/image/frame.h"
#include "io/video/frame_rate.h"
#include "io/video/image_list.h"

namespace calfvo {

struct SourceOptions {
  // Where given, instead of the input's own times: frame i is at i / rate.
  std::optional<FrameRate> rate;
  int stride = 1;               // every how many frames one is taken
  double start_s = 0.0;         // frames before this time after the first frame's are skipped
  std::optional<double> end_s;  // so are those at or after this one
  std::string topic;            // of a recording; empty for the only one with images
  int stream = -1;              // which of the file's video streams, from 0; −1 for FFmpeg's choice
  // Set from elsewhere (a signal handler) to make a source that would wait, a camera or a pipe, end instead.
  const std::atomic<bool>* stop = nullptr;

  // Throws Error naming the option and its value.
  void Validate() const;
};

// What is known before the first frame.
struct SourceInfo {
  std::string kind;                    // "video", "images", "camera", "y4m", "recording"
  std::string description;             // for people: "1280x720 h264, 29.97 frames/s, 12.3 s"
  std::optional<int64_t> frame_count;  // after stride and cut; may be an estimate
  double rate_hz = 0.0;                // frames per second on average, before any stride; 0 if not known
  bool is_live = false;                // frames that are not taken in time are lost
};

// Steps through frames and decodes only those that are read. One thread at a time, except Cancel.
class FrameSource {
 public:
  virtual ~FrameSource() = default;

  // Moves to the next frame and fills its index and timestamp, or returns false at the end. Timestamps
  // strictly increase. Throws Error where the source ends for any reason but its natural end.
  virtual bool Advance(Frame& frame) = 0;

  // Fills size, pixel aspect, image and damage of the current frame, reusing the memory of `frame`. At most
  // once per frame. A damaged frame is not an error.
  virtual void Read(Frame& frame) = 0;

  // Advance and Read.
  bool Next(Frame& frame) {
    if (!Advance(frame)) return false;
    Read(frame);
    return true;
  }

  // Ends a wait for a camera or a pipe in another thread, as SourceOptions::stop does. Sources that never
  // wait ignore it.
  virtual void Cancel() {}

  virtual const SourceInfo& info() const = 0;
};

// The frames of `source` that `options` select by stride, start and end, at the times of `options.rate` if
// set. Frames in between are not decoded. Throws Error as SourceOptions::Validate does.
std::unique_ptr<FrameSource> SelectFrames(std::unique_ptr<FrameSource> source, const SourceOptions& options);

// What is wrong with an input when SourceOptions::stop was set before anything could be read.
inline constexpr std::string_view kStoppedBeforeAnyFrame = "stopped before any frame was read";

// `input` as on the command line: a video file, an image, a folder, a glob, a camera (/dev/video0, or
// lavfi:GRAPH for FFmpeg's synthetic ones), or - for y4m on standard input. Content determines a file's type,
// not its name. Throws Error that names what was tried. Details: docs/inputs.md.
std::unique_ptr<FrameSource> OpenFrames(const std::string& input, const SourceOptions& options = {});

// The files that OpenFrames reads of `input`, with the times of images where they have any. No files for a
// camera, a pipe or lavfi:. Throws Error where OpenFrames would, except for a file's content.
ImageList InputFiles(const std::string& input);

// Whether an image, once it is written to `image`, would be one of `input`: a folder that has its images
// where it is, or a glob that its name matches.
bool WouldReadImage(const std::string& input, const std::filesystem::path& image);

}  // namespace calfvo
