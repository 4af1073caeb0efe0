// SPDX-License-Identifier: Apache-2.0
#include "core/image/image_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "calfvo/error.h"

namespace calfvo {
namespace {

struct FormatRow {
  PixelFormat format;
  std::string_view name;
  int bytes;  // of a pixel, on average over a row
};

constexpr FormatRow kFormats[] = {
    {PixelFormat::kRgb8, "rgb8", 3},   {PixelFormat::kBgr8, "bgr8", 3},   {PixelFormat::kRgba8, "rgba8", 4},
    {PixelFormat::kBgra8, "bgra8", 4}, {PixelFormat::kGray8, "gray8", 1}, {PixelFormat::kGray16, "gray16", 2},
    {PixelFormat::kYuyv, "yuyv", 2},   {PixelFormat::kNv12, "nv12", 1},
};

const FormatRow& RowOf(PixelFormat format) {
  const auto* row = std::find_if(std::begin(kFormats), std::end(kFormats),
                                 [&](const FormatRow& candidate) { return candidate.format == format; });
  if (row != std::end(kFormats)) return *row;
  throw Error(fmt::format("image: format {} is not a PixelFormat", static_cast<int>(format)));
}

template <int kBytes, int kRed, int kBlue>
void ConvertColours(const uint8_t* from, int width, uint8_t* rgb) {
  for (int x = 0; x < width; ++x, from += kBytes, rgb += 3) {
    rgb[0] = from[kRed];
    rgb[1] = from[1];
    rgb[2] = from[kBlue];
  }
}

void ConvertGray16(const uint8_t* from, int width, uint8_t* rgb) {
  for (int x = 0; x < width; ++x, rgb += 3) {
    uint16_t value;
    std::memcpy(&value, from + ptrdiff_t{2} * x, sizeof value);
    // to the nearest
    std::memset(rgb, static_cast<uint8_t>((value + 128U) / 257U), 3);
  }
}

// BT.601 in limited range, in units of 1 / 65536.
void ConvertYuv(int luma, int u, int v, uint8_t* rgb) {
  const int y = 76309 * (luma - 16) + 32768;
  const auto byte = [](int value) { return static_cast<uint8_t>(std::clamp(value >> 16, 0, 255)); };
  rgb[0] = byte(y + 104597 * (v - 128));
  rgb[1] = byte(y - 25675 * (u - 128) - 53279 * (v - 128));
  rgb[2] = byte(y + 132201 * (u - 128));
}

}  // namespace

PixelFormat PixelFormatFromName(std::string_view name) {
  std::string names;
  for (const FormatRow& row : kFormats) {
    if (row.name == name) return row.format;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  throw Error(fmt::format("unknown pixel format '{}'; expected one of {}", name, names));
}

std::string_view PixelFormatName(PixelFormat format) {
  return RowOf(format).name;
}

ptrdiff_t RowBytes(PixelFormat format, int width) {
  const ptrdiff_t pixels = format == PixelFormat::kYuyv ? (ptrdiff_t{width} + 1) / 2 * 2 : width;
  return pixels * RowOf(format).bytes;
}

ImageView CheckedImage(const ImageView& image) {
  if (image.width < 1 || image.height < 1 || image.width > kMaxImageSide || image.height > kMaxImageSide) {
    throw Error(fmt::format("image: width x height is {}x{}; sides of 1 to {} pixels expected", image.width,
                            image.height, kMaxImageSide));
  }
  const ptrdiff_t row = RowBytes(image.format, image.width);
  if (image.pixels == nullptr) {
    throw Error(fmt::format("image: pixels is null, for {}x{}", image.width, image.height));
  }
  if (image.stride != 0 && image.stride < row) {
    throw Error(fmt::format("image: stride is {}; rows of {} {} pixels need {} bytes or more", image.stride,
                            image.width, PixelFormatName(image.format), row));
  }
  if (!IsPixelAspect(image.pixel_aspect)) {
    throw Error(fmt::format("image: pixel_aspect is {}; 1 / {} to {} expected", image.pixel_aspect,
                            kMaxPixelAspect, kMaxPixelAspect));
  }
  ImageView checked = image;
  if (checked.stride == 0) checked.stride = row;
  if (image.format != PixelFormat::kNv12) return checked;
  const ptrdiff_t chroma_row = (row + 1) / 2 * 2;
  if (checked.chroma_stride == 0) checked.chroma_stride = std::max(checked.stride, chroma_row);
  if (checked.chroma_stride < chroma_row) {
    throw Error(fmt::format("image: chroma_stride is {}; rows of {} nv12 pixels need {} bytes or more",
                            image.chroma_stride, image.width, chroma_row));
  }
  if (checked.chroma == nullptr) checked.chroma = image.pixels + checked.stride * image.height;
  return checked;
}

void ConvertRow(const ImageView& image, int y, uint8_t* rgb) {
  const uint8_t* from = image.pixels + y * image.stride;
  const int width = image.width;
  switch (image.format) {
    case PixelFormat::kRgb8:
      std::copy_n(from, ptrdiff_t{3} * width, rgb);
      return;
    case PixelFormat::kBgr8:
      ConvertColours<3, 2, 0>(from, width, rgb);
      return;
    case PixelFormat::kRgba8:
      ConvertColours<4, 0, 2>(from, width, rgb);
      return;
    case PixelFormat::kBgra8:
      ConvertColours<4, 2, 0>(from, width, rgb);
      return;
    case PixelFormat::kGray8:
      for (int x = 0; x < width; ++x) std::memset(rgb + ptrdiff_t{3} * x, from[x], 3);
      return;
    case PixelFormat::kGray16:
      ConvertGray16(from, width, rgb);
      return;
    case PixelFormat::kYuyv:
      for (int x = 0; x < width; ++x, rgb += 3) {
        const uint8_t* pair = from + ptrdiff_t{4} * (x / 2);
        ConvertYuv(pair[x % 2 * 2], pair[1], pair[3], rgb);
      }
      return;
    case PixelFormat::kNv12:
      const uint8_t* chroma = image.chroma + y / 2 * image.chroma_stride;
      for (int x = 0; x < width; ++x, rgb += 3) {
        ConvertYuv(from[x], chroma[x / 2 * 2], chroma[x / 2 * 2 + 1], rgb);
      }
      return;
  }
}

ImageView AsRgb(const ImageView& image, std::vector<uint8_t>& rgb) {
  if (image.format == PixelFormat::kRgb8) return image;
  const ptrdiff_t row = RowBytes(PixelFormat::kRgb8, image.width);
  rgb.resize(static_cast<size_t>(row * image.height));
  for (int y = 0; y < image.height; ++y) ConvertRow(image, y, rgb.data() + y * row);
  return {.width = image.width,
          .height = image.height,
          .pixels = rgb.data(),
          .stride = row,
          .pixel_aspect = image.pixel_aspect};
}

}  // namespace calfvo
