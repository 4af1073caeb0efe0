// SPDX-License-Identifier: Apache-2.0
// portable::ResamplePixel, of which a GPU's two passes consist, against the Resizer.
#include <gtest/gtest.h>

#include "core/image/resize_golden.h"
#include "core/portable/resample.h"
#include "nn/architecture/preprocessor.h"

namespace calfvo {
namespace {

// `windows` counted from the first used pixel on.
ResampleWeights Shifted(ResampleWeights weights, int first_used) {
  for (auto& window : weights.windows) window.first -= first_used;
  return weights;
}

// All rows that are used, cut to the columns that are used; then all columns.
std::vector<uint8_t> InTwoPasses(const ResizePlan& plan, const ImageView& image) {
  const portable::ResampleWindow columns = portable::UsedPixels(WeightsAlongX(plan).axis());
  const portable::ResampleWindow rows = portable::UsedPixels(WeightsAlongY(plan).axis());
  const ResampleWeights along_x = Shifted(WeightsAlongX(plan), columns.first);
  const ResampleWeights along_y = Shifted(WeightsAlongY(plan), rows.first);
  std::vector<uint8_t> between;
  for (int y = 0; y < rows.count; ++y) {
    const uint8_t* row = image.pixels + (rows.first + y) * image.stride + ptrdiff_t{3} * columns.first;
    const std::vector<uint8_t> cut(row, row + ptrdiff_t{3} * columns.count);
    for (int x = 0; x < plan.width; ++x) {
      const auto [red, green, blue] = portable::ResamplePixel(along_x.axis(), x, cut.data(), 3);
      between.insert(between.end(), {red, green, blue});
    }
  }
  std::vector<uint8_t> out;
  for (int y = 0; y < plan.height; ++y) {
    for (int x = 0; x < plan.width; ++x) {
      const auto [red, green, blue] = portable::ResamplePixel(
          along_y.axis(), y, between.data() + ptrdiff_t{3} * x, int64_t{3} * plan.width);
      out.insert(out.end(), {red, green, blue});
    }
  }
  return out;
}

TEST(ResamplePixel, TwoPassesGiveTheResizersBytes) {
  InputConfig config;
  for (const auto& [width, height] :
       {std::pair(1, 1), {1, 9}, {2, 1}, {7, 300}, {31, 33}, {32, 32}, {64, 48}, {333, 101}, {640, 479}}) {
    const Frame image = GoldenImage(width, height);
    for (const int size : {7, 32, 50}) {
      config.size = size;
      for (const auto rule : {ResizeRule::kCrop, ResizeRule::kSquash}) {
        for (const auto filter : {ResizeFilter::kBilinear, ResizeFilter::kBicubic, ResizeFilter::kLanczos}) {
          config.resize = rule;
          config.filter = filter;
          std::vector<uint8_t> expected(static_cast<size_t>(3 * size * size));
          Preprocessor(config).Resize(image.view(), expected);
          EXPECT_EQ(InTwoPasses(PlanInput(config, image.view()), image.view()), expected)
              << width << "x" << height << " to " << size << ", rule " << static_cast<int>(rule)
              << ", filter " << static_cast<int>(filter);
        }
      }
    }
  }
}

}  // namespace
}  // namespace calfvo
