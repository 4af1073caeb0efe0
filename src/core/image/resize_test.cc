// SPDX-License-Identifier: Apache-2.0
#include "core/image/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/image/resize_golden.h"

namespace calfvo {
namespace {

ResampleKernel KernelOf(const std::string& name) {
  return name == "bilinear"  ? ResampleKernel::kBilinear
         : name == "bicubic" ? ResampleKernel::kBicubic
                             : ResampleKernel::kLanczos;
}

ResizePlan WholePlan(ResampleKernel kernel, int in_width, int in_height, int out_width, int out_height) {
  return {kernel, in_width, in_height, out_width, out_height, 0, 0, out_width, out_height};
}

std::vector<uint8_t> Resized(const ResizePlan& plan, const RowKernels& kernels, const Frame& image) {
  std::vector<uint8_t> out(static_cast<size_t>(plan.width) * static_cast<size_t>(plan.height) * 3);
  Resizer(plan, kernels).Run(image.view(), out);
  return out;
}

TEST(Resizer, EqualsPillowToTheByte) {
  Frame image;
  const auto goldens = ReadResizeGoldens("resize");
  ASSERT_GT(goldens.size(), 60U);
  for (const ResizeGolden& golden : goldens) {
    if (image.width != golden.in_width || image.height != golden.in_height) {
      image = GoldenImage(golden.in_width, golden.in_height);
    }
    const ResizePlan plan = WholePlan(KernelOf(golden.filter), golden.in_width, golden.in_height,
                                      golden.out_width, golden.out_height);
    for (const RowKernels& kernels : AvailableRowKernels()) {
      EXPECT_EQ(Crc(Resized(plan, kernels, image)), golden.result)
          << kernels.name << ", " << golden.filter << " " << golden.in_width << "x" << golden.in_height
          << " to " << golden.out_width << "x" << golden.out_height;
    }
  }
}

TEST(Resizer, EqualsPillowsPixels) {
  const auto goldens = ReadResizeGoldens("pixels");
  ASSERT_GE(goldens.size(), 12U);
  for (const ResizeGolden& golden : goldens) {
    const ResizePlan plan = WholePlan(KernelOf(golden.filter), golden.in_width, golden.in_height,
                                      golden.out_width, golden.out_height);
    for (const RowKernels& kernels : AvailableRowKernels()) {
      EXPECT_EQ(Hex(Resized(plan, kernels, GoldenImage(golden.in_width, golden.in_height))), golden.result)
          << kernels.name << ", " << golden.filter;
    }
  }
}

TEST(Resizer, APartIsCutOutOfTheWhole) {
  const Frame image = GoldenImage(90, 70);
  for (const RowKernels& kernels : AvailableRowKernels()) {
    ResizePlan plan = WholePlan(ResampleKernel::kLanczos, 90, 70, 300, 31);
    const std::vector<uint8_t> whole = Resized(plan, kernels, image);
    plan.left = 122;
    plan.top = 19;
    plan.width = 33;
    plan.height = 12;
    const std::vector<uint8_t> part = Resized(plan, kernels, image);
    for (size_t y = 0; y < 12; ++y) {
      EXPECT_TRUE(std::equal(part.begin() + static_cast<ptrdiff_t>(y * 33 * 3),
                             part.begin() + static_cast<ptrdiff_t>((y + 1) * 33 * 3),
                             whole.begin() + static_cast<ptrdiff_t>(((y + 19) * 300 + 122) * 3)))
          << kernels.name << ", row " << y;
    }
  }
}

TEST(Resizer, RowsMayBeFurtherApartThanTheirLength) {
  const Frame image = GoldenImage(40, 30);
  const ResizePlan plan = WholePlan(ResampleKernel::kBicubic, 31, 30, 17, 19);
  Frame cut{.width = 31, .height = 30};
  for (size_t y = 0; y < 30; ++y) {
    const auto row = image.rgb.begin() + static_cast<ptrdiff_t>(y * 120);
    cut.rgb.insert(cut.rgb.end(), row, row + 93);
  }
  std::vector<uint8_t> out(17 * 19 * 3);
  Resizer(plan).Run({31, 30, PixelFormat::kRgb8, image.rgb.data(), 120}, out);
  EXPECT_EQ(out, Resized(plan, AvailableRowKernels().front(), cut));
}

TEST(ResampleWeights, AddUpToOne) {
  for (const auto kernel : {ResampleKernel::kBilinear, ResampleKernel::kBicubic, ResampleKernel::kLanczos}) {
    for (const auto& [in, out] : {std::pair(1, 50), {7, 3}, {3, 7}, {224, 224}, {1280, 224}, {5000, 2}}) {
      const ResampleWeights axis = MakeResampleWeights(kernel, in, out, 0, out);
      for (size_t i = 0; i < axis.windows.size(); ++i) {
        const auto [first, count] = axis.windows[i];
        EXPECT_GE(first, 0);
        EXPECT_LE(first + count, in);
        // every weight is rounded once
        EXPECT_NEAR(std::accumulate(axis.of(i), axis.of(i) + axis.taps, 0), 1 << portable::kResampleBits,
                    count * 0.5);
      }
    }
  }
}

}  // namespace
}  // namespace calfvo
