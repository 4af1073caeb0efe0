// SPDX-License-Identifier: Apache-2.0
// A run folder that is served: its data, its key frames, and frames of its video.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "io/video/frame_source.h"

namespace calfvo {

// Thread-safe.
class ViewedRun {
 public:
  // Throws Error unless `folder` holds a complete run, unless `under_way`: then files are read only when
  // asked for.
  explicit ViewedRun(std::filesystem::path folder, bool under_way = false);

  // As RunDocumentJson, with all map points. Throws Error.
  std::string DocumentJson() const;
  // As FramesOfPage.
  std::string FramesJson() const;

  // An encoded image of the input, with its type. Nothing if the frame does not exist or the input cannot be
  // read, and if a later call overtakes this one: frames are decoded in order, so one far ahead takes a
  // while.
  struct Image {
    std::string bytes;
    const char* type;
  };
  std::optional<Image> FrameImage(int64_t frame);

 private:
  std::string RunJsonText() const;

  const std::filesystem::path folder_;
  std::string input_;  // empty if it cannot be read again
  SourceOptions options_;
  std::atomic<int64_t> calls_ = 0;
  std::mutex mutex_;
  std::unique_ptr<FrameSource> source_;
  Frame frame_;           // the one that source_ is at
  bool is_read_ = false;  // and its image
};

}  // namespace calfvo
