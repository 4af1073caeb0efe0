// SPDX-License-Identifier: Apache-2.0
// What the tests of frames share. Included by *_test.cc files only.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/testing.h"
#include "frames/frame_source.h"

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

// A PPM of one colour.
inline std::string FlatPpm(int width, int height, const std::vector<int>& rgb) {
  std::string ppm = "P6\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n";
  for (int i = 0; i < width * height; ++i) {
    for (const int value : rgb) ppm.push_back(static_cast<char>(value));
  }
  return ppm;
}

inline std::vector<int> Pixel(const Frame& frame, int x, int y) {
  const uint8_t* at = frame.rgb.data() + (static_cast<ptrdiff_t>(y) * frame.width + x) * 3;
  return {at[0], at[1], at[2]};
}

// Whether a pixel is within `tolerance` of a colour.
inline testing::AssertionResult IsNear(const std::vector<int>& pixel, const std::vector<int>& colour,
                                       int tolerance) {
  for (size_t c = 0; c < 3; ++c) {
    if (std::abs(pixel[c] - colour[c]) > tolerance) {
      return testing::AssertionFailure()
             << testing::PrintToString(pixel) << " is not near " << testing::PrintToString(colour);
    }
  }
  return testing::AssertionSuccess();
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
