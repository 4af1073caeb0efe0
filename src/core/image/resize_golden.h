// SPDX-License-Identifier: Apache-2.0
// For tests: what Pillow made of synthetic images (tests/golden/make_resize_golden.py).
#pragma once

#include <zlib.h>

#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "core/image/frame.h"

namespace calfvo {

struct ResizeGolden {
  std::string what;  // "resize", "pixels", "crop", "squash"
  std::string filter;
  int in_width = 0, in_height = 0, out_width = 0, out_height = 0;
  std::string result;  // CRC-32 of the bytes, or for "pixels" the bytes, in hexadecimal
};

inline std::vector<ResizeGolden> ReadResizeGoldens(const std::string& what) {
  std::ifstream stream(CALFVO_GOLDEN "/resize.golden.txt");
  std::vector<ResizeGolden> goldens;
  ResizeGolden golden;
  while (stream >> golden.what >> golden.filter >> golden.in_width >> golden.in_height >> golden.out_width >>
         golden.out_height >> golden.result) {
    if (golden.what == what) goldens.push_back(golden);
  }
  return goldens;
}

// The script's image(): fields of 24 × 24 pixels, in turn noise and stripes of black and white.
inline Frame GoldenImage(int width, int height) {
  Frame frame{.width = width, .height = height};
  for (uint32_t y = 0; y < static_cast<uint32_t>(height); ++y) {
    for (uint32_t x = 0; x < static_cast<uint32_t>(width); ++x) {
      for (uint32_t c = 0; c < 3; ++c) {
        uint32_t hash = (x * 73856093U) ^ (y * 19349663U) ^ (c * 83492791U);
        hash = (hash ^ (hash >> 15)) * 2246822519U;
        const uint32_t noise = (hash >> 13) & 255;
        const uint32_t stripes = (x / 3 + y / 5 + c) % 2 * 255;
        frame.rgb.push_back(static_cast<uint8_t>((x / 24 + y / 24) % 2 == 0 ? noise : stripes));
      }
    }
  }
  return frame;
}

inline std::string Hex(std::span<const uint8_t> bytes) {
  std::string text;
  for (const uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte / 16];
    text += "0123456789abcdef"[byte % 16];
  }
  return text;
}

inline std::string Crc(std::span<const uint8_t> bytes) {
  const uint32_t crc = static_cast<uint32_t>(::crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
  const uint8_t parts[] = {static_cast<uint8_t>(crc >> 24), static_cast<uint8_t>(crc >> 16),
                           static_cast<uint8_t>(crc >> 8), static_cast<uint8_t>(crc)};
  return Hex(parts);
}

}  // namespace calfvo
