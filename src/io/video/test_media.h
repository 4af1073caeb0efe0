// SPDX-License-Identifier: Apache-2.0
// What the tests of video input share. Included by *_test.cc files only.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/base/testing.h"
#include "core/image/test_images.h"
#include "io/video/frame_source.h"

namespace calfvo {

inline std::vector<Frame> ReadAll(FrameSource& source) {
  std::vector<Frame> frames;
  for (Frame frame; source.Next(frame);) frames.push_back(frame);
  return frames;
}

inline std::vector<Frame> ReadAll(const std::filesystem::path& input, const SourceOptions& options = {}) {
  return ReadAll(*OpenFrames(input.string(), options));
}

inline void WriteBytes(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// The program's standard output; fails the test if it fails.
inline std::string RunCommand(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen(command.c_str(), "r");
  char buffer[4096];
  for (size_t count = 0; pipe != nullptr && (count = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) {
    output.append(buffer, count);
  }
  EXPECT_TRUE(pipe != nullptr && ::pclose(pipe) == 0) << command;
  return output;
}

inline bool HasFfmpegProgram() {
  static const bool has = std::system("which ffmpeg ffprobe >/dev/null 2>&1") == 0;
  return has;
}

// ffmpeg's program, quietly, in `folder`.
inline void RunFfmpeg(const std::filesystem::path& folder, const std::string& arguments) {
  RunCommand("cd " + folder.string() + " && ffmpeg -nostdin -v error -y " + arguments);
}

}  // namespace calfvo
