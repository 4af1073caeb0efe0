// SPDX-License-Identifier: Apache-2.0
// Speed of preprocessing on one core, compared with libswscale's bilinear resize of the same image to the
// same size, which goes through YUV, outputs 8-bit RGB and does not normalise:
//   bench_preprocess
extern "C" {
#include <libswscale/swscale.h>
}

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "core/portable/random.h"
#include "nn/architecture/preprocessor.h"
#include "stopwatch.h"

namespace calfvo {
namespace {

constexpr int kSize = 224;

double PeerSeconds(const ImageView& image) {
  const std::unique_ptr<SwsContext, decltype(&sws_freeContext)> context(
      sws_getContext(image.width, image.height, AV_PIX_FMT_RGB24, kSize, kSize, AV_PIX_FMT_RGB24,
                     SWS_BILINEAR, nullptr, nullptr, nullptr),
      sws_freeContext);
  std::vector<uint8_t> out(kSize * kSize * 3 + 64);
  const uint8_t* const in_planes[4] = {image.pixels};
  const int in_strides[4] = {static_cast<int>(image.stride)};
  uint8_t* const out_planes[4] = {out.data()};
  const int out_strides[4] = {kSize * 3};
  return MedianSeconds(
      [&] { sws_scale(context.get(), in_planes, in_strides, 0, image.height, out_planes, out_strides); });
}

double OurSeconds(const ImageView& image, ResizeRule rule, ResizeFilter filter) {
  InputConfig config;
  config.size = kSize;
  config.resize = rule;
  config.filter = filter;
  Preprocessor preprocessor(config);
  std::vector<float> out(3 * kSize * kSize);
  return MedianSeconds([&] { preprocessor.Run(image, out); });
}

void Report(int width, int height) {
  std::vector<uint8_t> pixels(static_cast<size_t>(width) * static_cast<size_t>(height) * 3);
  portable::Random random(1);
  for (uint8_t& value : pixels) value = static_cast<uint8_t>(random.Bits());
  const ImageView image{width, height, PixelFormat::kRgb8, pixels.data(), ptrdiff_t{3} * width};
  const double peer = PeerSeconds(image);
  const double squash = OurSeconds(image, ResizeRule::kSquash, ResizeFilter::kBilinear);
  const double crop = OurSeconds(image, ResizeRule::kCrop, ResizeFilter::kLanczosOrBicubic);
  fmt::print("{:9} | {:6.3f} ms | {:6.3f} ms, {:5.2f} x peer | {:6.3f} ms, {:5.2f} x peer\n",
             fmt::format("{}x{}", width, height), peer * 1e3, squash * 1e3, squash / peer, crop * 1e3,
             crop / peer);
}

void Main() {
  fmt::print("to {0}x{0}  | libswscale | squash, bilinear       | crop, Lanczos\n", kSize);
  Report(640, 480);
  Report(1241, 376);
  Report(1280, 720);
  Report(1920, 1080);
  Report(4000, 3000);
}

}  // namespace
}  // namespace calfvo

int main() {
  calfvo::Main();
}
