// SPDX-License-Identifier: Apache-2.0
// Still images to RGB: PNG, JPEG, and binary PPM and PGM.
#pragma once

#include <filesystem>
#include <string_view>

#include "core/image/frame.h"

namespace calfvo {

// Whether the first bytes of a file are those of an image that DecodeImage knows.
bool LooksLikeImage(std::string_view bytes);

// Whether the name ends as such images' names do; case does not matter.
bool HasImageName(const std::filesystem::path& path);

// Whether the file is an animated PNG, of which DecodeImage reads the first frame only.
bool IsAnimatedPng(const std::filesystem::path& path);

// `bytes` is the whole file; its content, not its name, decides the format. Fills size and image of `frame`:
// grey becomes RGB, 16 bits become 8, alpha is dropped, palettes are looked up. Pixels are square: densities
// are notes for printers. An orientation noted in EXIF is not applied. Throws Error with the reason, without
// naming a file; also for an image that is only partly there, for one over 16384 px a side, and for a JPEG of
// over 100 scans. No room is made for more pixels than the bytes can hold; of arithmetically coded JPEG that
// is not known.
void DecodeImage(std::string_view bytes, Frame& frame);

// The same of a file; Error names it.
void ReadImageFile(const std::filesystem::path& path, Frame& frame);

// The formats, for DecodeImage.
void DecodePng(std::string_view bytes, Frame& frame);
void DecodeJpeg(std::string_view bytes, Frame& frame);
void DecodePpm(std::string_view bytes, Frame& frame);

// Throws Error for a size that is not 1 to 16384 px a side.
void CheckImageSize(uint64_t width, uint64_t height);

// Checks and sets the size, and makes room for square pixels.
void MakeRoomForImage(uint64_t width, uint64_t height, Frame& frame);

}  // namespace calfvo
