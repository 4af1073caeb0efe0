// SPDX-License-Identifier: Apache-2.0
// Pictures as PNG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace calfvo {

// Borrowed 8-bit pixels, row by row from the top: grey (1), RGB (3) or RGBA with straight alpha (4 channels).
struct ImageView {
  int width = 0;
  int height = 0;
  int channels = 0;
  const uint8_t* pixels = nullptr;
  ptrdiff_t stride = 0;  // bytes from one row to the next; at least width × channels
};

// The bytes of a PNG file. Throw Error when a size makes no sense or libpng gives up.
std::string EncodePng(const ImageView& image);

// 16-bit grey, such as depth; `pixels` holds width × height values without padding.
std::string EncodePng16(int width, int height, std::span<const uint16_t> pixels);

// The same into a file that appears whole or not at all.
void WritePng(const std::filesystem::path& path, const ImageView& image);
void WritePng16(const std::filesystem::path& path, int width, int height, std::span<const uint16_t> pixels);

}  // namespace calfvo
