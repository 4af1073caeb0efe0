// SPDX-License-Identifier: Apache-2.0
#include "core/image/gray_image.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/image/resize.h"

namespace calfvo {

class GrayConverter::Impl {
 public:
  explicit Impl(int max_side) : max_side_(max_side) {}

  GrayImage Run(const ImageView& image, double pixel_aspect) {
    const double wide = image.width * std::max(pixel_aspect, 1.0);
    const double high = image.height * std::max(1.0 / pixel_aspect, 1.0);
    const double scale = std::min(1.0, max_side_ / std::max(wide, high));
    GrayImage gray;
    gray.width = std::max(1, static_cast<int>(std::lround(scale * wide)));
    gray.height = std::max(1, static_cast<int>(std::lround(scale * high)));
    gray.pixels.resize(static_cast<size_t>(gray.width) * static_cast<size_t>(gray.height));
    const ImageView small = Resized(image, gray.width, gray.height);
    uint8_t* out = gray.pixels.data();
    for (int y = 0; y < gray.height; ++y) {
      const uint8_t* rgb = small.pixels + y * small.stride;
      for (int x = 0; x < gray.width; ++x, rgb += 3) {
        *out++ = static_cast<uint8_t>((77 * rgb[0] + 150 * rgb[1] + 29 * rgb[2] + 128) >> 8);
      }
    }
    return gray;
  }

 private:
  ImageView Resized(const ImageView& image, int width, int height) {
    if (image.width == width && image.height == height) return image;
    const ResizePlan plan{
        ResampleKernel::kBilinear, image.width, image.height, width, height, 0, 0, width, height};
    if (!resizer_ || !(plan == plan_)) {
      resizer_.emplace(plan);
      plan_ = plan;
      rgb_.resize(size_t{3} * static_cast<size_t>(width) * static_cast<size_t>(height));
    }
    resizer_->Run(image, rgb_);
    return {width, height, PixelFormat::kRgb8, rgb_.data(), ptrdiff_t{3} * width};
  }

  const int max_side_;
  ResizePlan plan_;
  std::optional<Resizer> resizer_;
  std::vector<uint8_t> rgb_;
};

GrayConverter::GrayConverter(int max_side) : impl_(std::make_unique<Impl>(max_side)) {}
GrayConverter::~GrayConverter() = default;
GrayConverter::GrayConverter(GrayConverter&&) noexcept = default;
GrayConverter& GrayConverter::operator=(GrayConverter&&) noexcept = default;

GrayImage GrayConverter::Run(const ImageView& image, double pixel_aspect) {
  return impl_->Run(image, pixel_aspect);
}

}  // namespace calfvo
