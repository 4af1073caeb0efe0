// SPDX-License-Identifier: Apache-2.0
// Where pictures come from: video files, folders of images, cameras, a y4m stream.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "frames/frame.h"
#include "frames/frame_rate.h"

namespace calfvo {

struct SourceOptions {
  // Where given, instead of the input's own times: frame i is at i / rate.
  std::optional<FrameRate> rate;
  int stride = 1;               // every how many frames one is taken
  double start_s = 0.0;         // frames before this time after the first frame's are skipped
  std::optional<double> end_s;  // so are those at or after this one
  int stream = -1;              // which of the file's video streams, from 0; −1 for FFmpeg's choice
  // Set from elsewhere (a signal handler) to make a source that would wait, a camera or a pipe, end instead.
  const std::atomic<bool>* stop = nullptr;

  // Throws Error naming the option and its value.
  void Validate() const;
};

// What is known before the first frame.
struct SourceInfo {
  std::string kind;                    // "video", "images", "camera", "y4m"
  std::string description;             // for people: "1280x720 h264, 29.97 frames/s, 12.3 s"
  std::optional<int64_t> frame_count;  // after stride and cut; may be an estimate
  double rate_hz = 0.0;                // frames per second on average, before any stride; 0 if not known
  bool is_live = false;                // frames that are not taken in time are lost
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;

  // Fills `frame`, reusing its memory, or returns false at the end. Timestamps strictly increase. Damage is
  // told in the frame; Error is thrown only where no frame can come any more and the end is not the natural
  // one.
  virtual bool Next(Frame& frame) = 0;

  // For whoever wants no more frames while another thread is in Next: one that waits for a camera or a pipe
  // does so no longer, as with SourceOptions::stop. Sources that never wait need not do anything.
  virtual void Cancel() {}

  virtual const SourceInfo& info() const = 0;
};

// What is wrong with an input when SourceOptions::stop was set before anything could be read.
inline constexpr std::string_view kStoppedBeforeAnyFrame = "stopped before any frame was read";

// `input` as on the command line: a video file, an image, a folder, a glob, a camera (/dev/video0, or
// lavfi:GRAPH for FFmpeg's invented ones), or - for y4m on standard input. What a file is, its content says,
// not its name. Throws Error saying what was tried. docs/inputs.md tells more.
std::unique_ptr<FrameSource> OpenFrames(const std::string& input, const SourceOptions& options = {});

// Whether a picture, once it is written to `picture`, would be one of `input`: a folder that has its images
// where it is, or a glob that its name matches.
bool WouldReadPicture(const std::string& input, const std::filesystem::path& picture);

}  // namespace calfvo
