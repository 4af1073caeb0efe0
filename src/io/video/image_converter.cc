// SPDX-License-Identifier: Apache-2.0
#include "io/video/image_converter.h"

extern "C" {
#include <libavutil/display.h>
#include <libavutil/pixdesc.h>
}

#include <cstdlib>

#include "core/image/image_view.h"

namespace calfvo {
namespace {

// swscale's vector code leaves out columns unless rows have room for whole vectors, and may write that much
// past the last row.
constexpr int kAlignedPixels = 32;
constexpr size_t kPadding = 3 * kAlignedPixels;

bool IsFullRange(const AVFrame& frame) {
  switch (frame.format) {
    case AV_PIX_FMT_YUVJ420P:
    case AV_PIX_FMT_YUVJ422P:
    case AV_PIX_FMT_YUVJ444P:
    case AV_PIX_FMT_YUVJ440P:
    case AV_PIX_FMT_YUVJ411P:
      return true;
    default:
      return frame.color_range == AVCOL_RANGE_JPEG;
  }
}

int ColourMatrix(const AVFrame& frame) {
  if (frame.colorspace != AVCOL_SPC_UNSPECIFIED) return frame.colorspace;
  return frame.height >= 720 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
}

// For 8 bits swscale has a quick way, good to two levels, that repeats chroma samples; asking for more makes
// it several times slower. With more bits only the accurate way is that good.
int ScalerFlags(AVPixelFormat pixels) {
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(pixels);
  const bool is_deep = description != nullptr && description->comp[0].depth > 8;
  return SWS_BITEXACT | (is_deep ? SWS_BILINEAR | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT : SWS_POINT);
}

double PixelAspect(AVRational stored, Orientation orientation) {
  if (stored.num <= 0 || stored.den <= 0) return 1.0;
  const double width_over_height = av_q2d(orientation.transposes ? av_inv_q(stored) : stored);
  return IsPixelAspect(width_over_height) ? width_over_height : 1.0;
}

void Turn(const uint8_t* from, ptrdiff_t stride, int width, int height, Orientation orientation,
          uint8_t* to) {
  const int to_width = orientation.transposes ? height : width;
  const int to_height = orientation.transposes ? width : height;
  ptrdiff_t step_x = orientation.transposes ? stride : 3;
  ptrdiff_t step_y = orientation.transposes ? 3 : stride;
  if (orientation.flips_x) {
    from += (to_width - 1) * step_x;
    step_x = -step_x;
  }
  if (orientation.flips_y) {
    from += (to_height - 1) * step_y;
    step_y = -step_y;
  }
  // In columns of a few pixels, so that the rows of the source stay in the cache.
  constexpr int kColumns = 16;
  for (int left = 0; left < to_width; left += kColumns) {
    const int right = std::min(left + kColumns, to_width);
    for (int y = 0; y < to_height; ++y) {
      const uint8_t* source = from + y * step_y + left * step_x;
      uint8_t* target = to + (static_cast<ptrdiff_t>(y) * to_width + left) * 3;
      for (int x = left; x < right; ++x, source += step_x, target += 3) {
        target[0] = source[0];
        target[1] = source[1];
        target[2] = source[2];
      }
    }
  }
}

}  // namespace

Orientation OrientationFromMatrix(const int32_t* matrix) {
  // A point (x, y) is shown at (m0 x + m3 y, m1 x + m4 y).
  const auto [m0, m1, m3, m4] = std::array<int64_t, 4>{matrix[0], matrix[1], matrix[3], matrix[4]};
  if (std::abs(m0) + std::abs(m4) >= std::abs(m1) + std::abs(m3)) return {false, m0 < 0, m4 < 0};
  return {true, m3 < 0, m1 < 0};
}

void ImageConverter::Prepare(const Format& format) {
  if (scaler_ && format == format_) return;
  if (format.width > kMaxImageSide || format.height > kMaxImageSide) {
    throw Error(fmt::format("{}: its frames are {}x{} px; at most {}x{} are read", name_, format.width,
                            format.height, kMaxImageSide, kMaxImageSide));
  }
  const auto pixels = static_cast<AVPixelFormat>(format.pixels);
  scaler_.reset(sws_getContext(format.width, format.height, pixels, format.width, format.height,
                               AV_PIX_FMT_RGB24, ScalerFlags(pixels), nullptr, nullptr, nullptr));
  if (!scaler_) {
    const char* pixels_name = av_get_pix_fmt_name(pixels);
    throw Error(fmt::format("{}: frames of {}x{} px in {} cannot be turned into RGB", name_, format.width,
                            format.height, pixels_name != nullptr ? pixels_name : "an unknown format"));
  }
  // Formats without a matrix, such as RGB, refuse this and need it not.
  sws_setColorspaceDetails(scaler_.get(), sws_getCoefficients(format.matrix), format.full_range,
                           sws_getCoefficients(SWS_CS_ITU709), 1, 0, 1 << 16, 1 << 16);
  format_ = format;
}

void ImageConverter::Convert(const AVFrame& from, Frame& to) {
  Prepare({from.width, from.height, from.format, ColourMatrix(from), IsFullRange(from)});
  Orientation orientation = orientation_;
  if (const auto* own = av_frame_get_side_data(&from, AV_FRAME_DATA_DISPLAYMATRIX)) {
    orientation = OrientationFromMatrix(reinterpret_cast<const int32_t*>(own->data));
  }
  const int stride = 3 * ((from.width + kAlignedPixels - 1) / kAlignedPixels * kAlignedPixels);
  const bool is_final = stride == 3 * from.width && orientation == Orientation{};
  std::vector<uint8_t>& rgb = is_final ? to.rgb : scaled_;
  rgb.resize(static_cast<size_t>(stride) * static_cast<size_t>(from.height) + kPadding);
  uint8_t* rows = rgb.data();
  sws_scale(scaler_.get(), from.data, from.linesize, 0, from.height, &rows, &stride);
  to.rgb.resize(size_t{3} * static_cast<size_t>(from.width) * static_cast<size_t>(from.height));
  to.width = orientation.transposes ? from.height : from.width;
  to.height = orientation.transposes ? from.width : from.height;
  to.pixel_aspect = PixelAspect(from.sample_aspect_ratio, orientation);
  if (!is_final) Turn(rows, stride, from.width, from.height, orientation, to.rgb.data());
}

}  // namespace calfvo
