// SPDX-License-Identifier: Apache-2.0
#include "io/datasets/sens_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <system_error>

#include "calfvo/error.h"
#include "core/image/image_decoder.h"
#include "core/image/image_view.h"
#include "io/datasets/pose_text.h"

namespace calfvo {
namespace {

static_assert(std::endian::native == std::endian::little, "the format's numbers are little-endian");

enum ColorCompression : int32_t { kRaw = 0, kPng = 1, kJpeg = 2 };

constexpr uint64_t kVersion = 4;
constexpr uint64_t kMaxNameBytes = 4096;

// What follows the sensor's name.
struct [[gnu::packed]] HeaderTail {
  float color_intrinsic[16];
  float other_matrices[3][16];  // colour extrinsic, depth intrinsic, depth extrinsic
  int32_t color_compression;
  int32_t depth_compression;
  uint32_t color_width;
  uint32_t color_height;
  uint32_t depth_width;
  uint32_t depth_height;
  float depth_shift;
  uint64_t frame_count;
};
static_assert(sizeof(HeaderTail) == 304 - 12);

struct [[gnu::packed]] FrameHeader {
  float camera_to_world[16];
  uint64_t color_time_us;
  uint64_t depth_time_us;
  uint64_t color_bytes;
  uint64_t depth_bytes;
};
static_assert(sizeof(FrameHeader) == 96);

std::optional<CameraIntrinsics> Intrinsics(const HeaderTail& header) {
  const auto& k = header.color_intrinsic;
  const bool is_sane = std::isfinite(k[0]) && k[0] > 0.0F && std::isfinite(k[5]) && k[5] > 0.0F &&
                       std::isfinite(k[2]) && std::isfinite(k[6]);
  if (!is_sane) return {};
  return CameraIntrinsics{.fx = k[0], .fy = k[5], .cx = k[2], .cy = k[6]};
}

}  // namespace

SensFile::Descriptor::~Descriptor() {
  if (value >= 0) ::close(value);
}

SensFile::SensFile(const std::filesystem::path& path)
    : name_(path.string()), descriptor_{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)} {
  if (descriptor_.value < 0) Fail("cannot open: " + std::generic_category().message(errno));
  struct stat status {};
  if (::fstat(descriptor_.value, &status) != 0 || !S_ISREG(status.st_mode)) Fail("is not a regular file");
  file_bytes_ = static_cast<uint64_t>(status.st_size);
  ReadIndex(ReadHeader());
}

void SensFile::Fail(const std::string& message) const {
  throw Error(fmt::format("{}: {}", name_, message));
}

void SensFile::ReadAt(uint64_t offset, void* to, size_t size) const {
  char* next = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t count = ::pread(descriptor_.value, next, size, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) Fail("cannot read: " + std::generic_category().message(errno));
    if (count == 0) Fail("became shorter while it was read");
    next += count;
    offset += static_cast<uint64_t>(count);
    size -= static_cast<size_t>(count);
  }
}

uint64_t SensFile::ReadHeader() {
  struct [[gnu::packed]] {
    uint32_t version;
    uint64_t name_bytes;
  } start{};
  if (file_bytes_ < sizeof(start)) Fail(fmt::format("has {} bytes, too few for a .sens file", file_bytes_));
  ReadAt(0, &start, sizeof(start));
  if (start.version != kVersion) {
    Fail(fmt::format("is not a .sens file of version {}: its version reads {}", kVersion, +start.version));
  }
  const uint64_t name_bytes = start.name_bytes;
  if (name_bytes > kMaxNameBytes) {
    Fail(fmt::format("the sensor's name has {} bytes; at most {} expected", name_bytes, kMaxNameBytes));
  }
  const uint64_t tail_offset = sizeof(start) + name_bytes;
  HeaderTail tail{};
  if (file_bytes_ < tail_offset + sizeof(tail)) Fail("ends within its header; it was cut short");
  ReadAt(tail_offset, &tail, sizeof(tail));
  color_compression_ = tail.color_compression;
  color_width_ = tail.color_width;
  color_height_ = tail.color_height;
  frame_count_ = tail.frame_count;
  color_intrinsics_ = Intrinsics(tail);
  if (color_compression_ < kRaw || color_compression_ > kJpeg) {
    Fail(fmt::format("colour compression {}; expected 0 (raw), 1 (PNG) or 2 (JPEG)", color_compression_));
  }
  if (color_width_ < 1 || color_height_ < 1 || color_width_ > kMaxImageSide ||
      color_height_ > kMaxImageSide) {
    Fail(fmt::format("colour of {}x{} px; expected 1 to {} a side", color_width_, color_height_,
                     kMaxImageSide));
  }
  const uint64_t begin = tail_offset + sizeof(tail);
  if (frame_count_ < 1 || frame_count_ > kMaxFrames) {
    Fail(fmt::format("{} frames; expected 1 to {}", frame_count_, kMaxFrames));
  }
  if (const uint64_t room = (file_bytes_ - begin) / sizeof(FrameHeader); frame_count_ > room) {
    Fail(
        fmt::format("{} frames, but the {} bytes after the header hold {} at most; the file was cut short or "
                    "is damaged",
                    frame_count_, file_bytes_ - begin, room));
  }
  return begin;
}

void SensFile::ReadIndex(uint64_t offset) {
  const uint64_t raw_bytes = uint64_t{3} * color_width_ * color_height_;
  constexpr uint64_t kMaxMetadata = 1 << 20;  // what a compressed image may have beside its pixels
  frames_.reserve(frame_count_);
  for (uint64_t i = 0; i < frame_count_; ++i) {
    FrameHeader header{};
    if (file_bytes_ - offset < sizeof(header)) {
      Fail(fmt::format("ends before frame {} of {}; it was cut short", i, frame_count_));
    }
    ReadAt(offset, &header, sizeof(header));
    offset += sizeof(header);
    const uint64_t left = file_bytes_ - offset;
    const uint64_t color_bytes = header.color_bytes;
    const uint64_t depth_bytes = header.depth_bytes;
    if (color_bytes > left || depth_bytes > left - color_bytes) {
      Fail(
          fmt::format("frame {} of {} has {} bytes of colour and {} of depth, but {} are left; the file "
                      "was cut short or is damaged",
                      i, frame_count_, color_bytes, depth_bytes, left));
    }
    const bool is_plausible =
        color_compression_ == kRaw ? color_bytes == raw_bytes : color_bytes <= raw_bytes + kMaxMetadata;
    if (!is_plausible) {
      Fail(fmt::format("frame {} has {} bytes of colour, which an image of {}x{} px does not need", i,
                       color_bytes, color_width_, color_height_));
    }
    std::array<double, 16> matrix;
    for (size_t k = 0; k < matrix.size(); ++k) matrix[k] = header.camera_to_world[k];
    frames_.push_back({RigidFromMatrix(matrix), header.color_time_us, offset, color_bytes});
    offset += color_bytes + depth_bytes;
  }
}

void SensFile::ReadColor(size_t index, Frame& image) const {
  const FrameEntry& entry = frames_.at(index);
  if (color_compression_ == kRaw) {
    MakeRoomForImage(color_width_, color_height_, image);
    ReadAt(entry.color_offset, image.rgb.data(), image.rgb.size());
    return;
  }
  std::string bytes(entry.color_bytes, '\0');
  ReadAt(entry.color_offset, bytes.data(), bytes.size());
  try {
    DecodeImage(bytes, image);
  } catch (const Error& error) {
    Fail(fmt::format("frame {}: {}", index, error.what()));
  }
}

}  // namespace calfvo
