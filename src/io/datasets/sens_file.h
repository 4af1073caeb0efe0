// SPDX-License-Identifier: Apache-2.0
// ScanNet's .sens: one scan with poses, colour and depth in one file of a few gigabytes.
//
// Little-endian, packed. A header (version, sensor name, four 4×4 matrices, compressions, sizes, frame
// count), then per frame 96 bytes (camera_to_world f32[16]; colour and depth time u64; colour and depth size
// u64) and the two blobs, then IMU records, which are not read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/datasets/sequence.h"

namespace calfvo {

// Only the index stays in memory, some hundred bytes per frame. Reading from several threads is safe.
class SensFile {
 public:
  struct FrameEntry {
    std::optional<Rigid3> world_from_camera;
    uint64_t color_time_us = 0;
    uint64_t color_offset = 0;  // bytes from the start of the file
    uint64_t color_bytes = 0;
  };

  static constexpr uint64_t kMaxFrames = 1'000'000;

  // Goes from frame to frame, seeking over colour and depth. Every size in the file is
  // compared with its true size before it is used. Throws Error naming the file, the field and its value.
  explicit SensFile(const std::filesystem::path& path);

  const std::vector<FrameEntry>& frames() const { return frames_; }
  const std::optional<CameraIntrinsics>& color_intrinsics() const { return color_intrinsics_; }

  // The image of a frame: raw, PNG or JPEG. Throws Error naming file and frame.
  void ReadColor(size_t index, Frame& image) const;

 private:
  struct Descriptor {
    const int value;
    ~Descriptor();
  };

  [[noreturn]] void Fail(const std::string& message) const;
  void ReadAt(uint64_t offset, void* to, size_t size) const;
  uint64_t ReadHeader();  // returns where the frames begin
  void ReadIndex(uint64_t offset);

  const std::string name_;
  const Descriptor descriptor_;
  uint64_t file_bytes_ = 0;
  int32_t color_compression_ = 0;
  uint32_t color_width_ = 0;
  uint32_t color_height_ = 0;
  uint64_t frame_count_ = 0;
  std::optional<CameraIntrinsics> color_intrinsics_;
  std::vector<FrameEntry> frames_;
};

}  // namespace calfvo
