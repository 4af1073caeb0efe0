// SPDX-License-Identifier: Apache-2.0
// Images to PNG. image_decoder.h has the other direction.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/image/image_view.h"

namespace calfvo {

// The bytes of a PNG file. Throw Error when a size makes no sense or libpng gives up.
std::string EncodePng(const ImageView& image);

// 16-bit grey, such as depth; `pixels` holds width × height values without padding.
std::string EncodePng16(int width, int height, std::span<const uint16_t> pixels);

// The same into a file that appears whole or not at all.
void WritePng(const std::filesystem::path& path, const ImageView& image);
void WritePng16(const std::filesystem::path& path, int width, int height, std::span<const uint16_t> pixels);

}  // namespace calfvo
