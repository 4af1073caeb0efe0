// SPDX-License-Identifier: Apache-2.0
#include "io/video/iso_media.h"

#include <cstdint>
#include <fstream>
#include <string_view>
#include <system_error>

namespace calfvo {
namespace {

uint64_t BigEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace

bool EndsBeforeIndex(const std::filesystem::path& path) {
  constexpr int kMaxBoxes = 4096;
  std::error_code error;
  const uint64_t file_size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return false;

  uint64_t begin = 0;
  for (int i = 0; i < kMaxBoxes; ++i) {
    // 4 bytes size, 4 bytes type and, where the size is 1, 8 bytes size. 0 means up to the end of the file.
    char bytes[16] = {};
    file.seekg(static_cast<std::streamoff>(begin));
    file.read(bytes, sizeof(bytes));
    const auto count = static_cast<size_t>(file.gcount());
    file.clear();
    const std::string_view header(bytes, count);
    const std::string_view type = header.substr(count < 4 ? count : 4, 4);
    if (i == 0 && type != "ftyp") return false;
    if (type == "meta") return false;
    const uint64_t short_size = BigEndian(header.substr(0, 4));
    const size_t header_size = short_size == 1 ? 16 : 8;
    if (count < header_size) return true;
    const uint64_t size = short_size == 1 ? BigEndian(header.substr(8)) : short_size;
    const uint64_t left = file_size - begin;
    if (type == "moov") return size > left;
    if (size == 0 || size >= left) return true;
    if (size < header_size) return false;
    begin += size;
  }
  return false;
}

}  // namespace calfvo
