// SPDX-License-Identifier: Apache-2.0
// Recordings from anyone: every message of every topic is read, and images are decoded.
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "calfvo/error.h"
#include "core/base/testing.h"
#include "io/recording/recording.h"
#include "io/recording/ros_image.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const calfvo::TempFolder folder;
  const std::filesystem::path path = folder.path() / "recording";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  try {
    const auto recording = calfvo::OpenRecording(path);
    for (size_t topic = 0; topic < recording->topics().size() && topic < 8; ++topic) {
      recording->Select(topic);
      calfvo::Frame frame;
      for (calfvo::RecordedMessage message; recording->Next(message);) {
        try {
          calfvo::DecodeRosImage(calfvo::ParseRosImage(recording->topics()[topic], message.data), frame);
        } catch (const calfvo::Error&) {
        }
      }
    }
  } catch (const calfvo::Error&) {
  }
  return 0;
}
