// SPDX-License-Identifier: Apache-2.0
#include "core/image/image_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

#include "calfvo/error.h"
#include "core/base/quoted.h"
#include "core/image/image_view.h"

namespace calfvo {
namespace {

// Four bytes for every pixel of the largest image, and some more.
constexpr uintmax_t kMaxFileSize = 2'000'000'000;

std::string ReadBytes(const std::filesystem::path& path) {
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw Error("cannot read: " + error.message());
  if (size > kMaxFileSize) throw Error(fmt::format("has {} bytes; at most {} are read", size, kMaxFileSize));
  std::string bytes(size, '\0');
  std::ifstream stream(path, std::ios::binary);
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(size))) {
    throw Error("cannot read: " + std::generic_category().message(errno));
  }
  return bytes;
}

bool IsPng(std::string_view bytes) {
  return bytes.starts_with("\x89PNG\r\n\x1a\n");
}

bool IsJpeg(std::string_view bytes) {
  return bytes.starts_with("\xff\xd8\xff");
}

bool IsPpm(std::string_view bytes) {
  return bytes.size() > 2 && (bytes.starts_with("P5") || bytes.starts_with("P6")) &&
         (std::isspace(static_cast<unsigned char>(bytes[2])) != 0 || bytes[2] == '#');
}

}  // namespace

bool LooksLikeImage(std::string_view bytes) {
  return IsPng(bytes) || IsJpeg(bytes) || IsPpm(bytes);
}

bool HasImageName(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 6> kEndings{".png", ".jpg", ".jpeg", ".ppm", ".pgm", ".pnm"};
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

bool IsAnimatedPng(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string signature(8, '\0');
  if (!stream.read(signature.data(), 8) || !IsPng(signature)) return false;
  constexpr int kMaxChunks = 1000;
  for (int i = 0; i < kMaxChunks; ++i) {
    std::array<unsigned char, 8> chunk{};  // length, big-endian, and type
    if (!stream.read(reinterpret_cast<char*>(chunk.data()), chunk.size())) return false;
    const std::string_view type(reinterpret_cast<const char*>(&chunk[4]), 4);
    if (type == "acTL") return true;
    if (type == "IDAT") return false;
    const int64_t length = int64_t{chunk[0]} << 24 | chunk[1] << 16 | chunk[2] << 8 | chunk[3];
    constexpr int64_t kChecksum = 4;
    stream.seekg(length + kChecksum, std::ios::cur);
  }
  return false;
}

void DecodeImage(std::string_view bytes, Frame& frame) {
  if (IsPng(bytes)) return DecodePng(bytes, frame);
  if (IsJpeg(bytes)) return DecodeJpeg(bytes, frame);
  if (IsPpm(bytes)) return DecodePpm(bytes, frame);
  if (bytes.empty()) throw Error("the file is empty");
  throw Error(fmt::format("begins with {}, which is neither PNG, JPEG, PPM (P6) nor PGM (P5)",
                          Quoted(bytes.substr(0, 8))));
}

void ReadImageFile(const std::filesystem::path& path, Frame& frame) {
  try {
    DecodeImage(ReadBytes(path), frame);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", path.string(), error.what()));
  }
}

void CheckImageSize(uint64_t width, uint64_t height) {
  if (width < 1 || height < 1 || width > kMaxImageSide || height > kMaxImageSide) {
    throw Error(fmt::format("is {}x{} px; expected 1 to {} a side", width, height, kMaxImageSide));
  }
}

void MakeRoomForImage(uint64_t width, uint64_t height, Frame& frame) {
  CheckImageSize(width, height);
  frame.width = static_cast<int>(width);
  frame.height = static_cast<int>(height);
  frame.pixel_aspect = 1.0;
  frame.rgb.resize(3 * width * height);
}

}  // namespace calfvo
