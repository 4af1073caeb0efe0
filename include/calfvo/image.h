// SPDX-License-Identifier: Apache-2.0
// Borrowed pixels, as cameras, OpenCV and video decoders hold them.
//
//   const cv::Mat mat = …;  // CV_8UC3
//   const calfvo::ImageView image{mat.cols, mat.rows, calfvo::PixelFormat::kBgr8, mat.data,
//                                 static_cast<ptrdiff_t>(mat.step)};
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace calfvo {

// Order and size of a pixel's samples. Colours are sRGB as displayed; alpha is ignored. YUV is BT.601 in
// limited range (Y 16…235), as webcams deliver it.
enum class PixelFormat {
  kRgb8,    // R, G, B
  kBgr8,    // B, G, R: OpenCV's CV_8UC3
  kRgba8,   // R, G, B, A
  kBgra8,   // B, G, R, A
  kGray8,   // one byte
  kGray16,  // one uint16_t in the machine's byte order, black at 0 and white at 65535
  kYuyv,    // Y, U, Y, V for two pixels: V4L2's YUYV, also called YUY2
  kNv12,    // a plane of Y; then, at half the size, a plane of U, V
};

// The format called `name` (rgb8, bgr8, rgba8, bgra8, gray8, gray16, yuyv, nv12); throws Error listing the
// names otherwise.
PixelFormat PixelFormatFromName(std::string_view name);
// The inverse of PixelFormatFromName.
std::string_view PixelFormatName(PixelFormat format);

// Pixels in rows from the top, borrowed: they must stay unchanged during the call that takes them.
struct ImageView {
  int width = 0;   // pixels, 1 to 16384
  int height = 0;  // pixels, 1 to 16384
  PixelFormat format = PixelFormat::kRgb8;
  const uint8_t* pixels = nullptr;  // the first row; for kNv12, of Y
  ptrdiff_t stride = 0;             // bytes from one row to the next; 0: rows follow each other without gaps

  // kNv12 only: the first row of U, V; null: directly behind the rows of Y. Its stride; 0: that of Y.
  const uint8_t* chroma = nullptr;
  ptrdiff_t chroma_stride = 0;

  double pixel_aspect = 1.0;  // a pixel's width over its height, when displayed; 1 / 16 to 16
};

}  // namespace calfvo
