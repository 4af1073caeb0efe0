// SPDX-License-Identifier: Apache-2.0
#include "io/video/mask_source.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/testing.h"
#include "core/image/png.h"

namespace calfvo {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// A grey mask of 2×2 px: the left half as `left`, the right half as `right`.
void WriteMask(const std::filesystem::path& path, uint8_t left, uint8_t right) {
  const uint8_t pixels[] = {left, right, left, right};
  WritePng(path, {2, 2, PixelFormat::kGray8, pixels, 2});
}

TEST(MaskSource, OneImageServesEveryFrameAtAnySize) {
  const TempFolder folder;
  WriteMask(folder.path() / "mask.png", 0, 255);
  MaskSource masks((folder.path() / "mask.png").string());
  std::vector<uint8_t> mask;
  masks.Read(0, 4, 1, &mask);
  EXPECT_THAT(mask, ElementsAre(0, 0, 255, 255));
  masks.Read(1000, 2, 2, &mask);
  EXPECT_THAT(mask, ElementsAre(0, 255, 0, 255));
  masks.Read(1001, 1, 1, &mask);
  EXPECT_THAT(mask, ElementsAre(255));
}

TEST(MaskSource, AFolderHasOnePerFrame) {
  const TempFolder folder;
  for (int i = 0; i < 3; ++i) {
    WriteMask(folder.path() / fmt::format("{:03}.png", i), static_cast<uint8_t>(i == 2 ? 128 : 127), 0);
  }
  MaskSource masks(folder.path().string());
  std::vector<uint8_t> mask;
  masks.Read(0, 2, 2, &mask);
  EXPECT_THAT(mask, Each(0));
  masks.Read(2, 2, 2, &mask);  // with a stride
  EXPECT_THAT(mask, ElementsAre(255, 0, 255, 0));
  masks.Read(2, 2, 2, &mask);
  EXPECT_THAT(mask, ElementsAre(255, 0, 255, 0));
  EXPECT_THAT(ErrorFrom([&] { masks.Read(3, 2, 2, &mask); }), HasSubstr("has 3 masks, but none for frame 3"));
  MaskSource more(folder.path().string());
  more.Read(0, 2, 2, &mask);
  EXPECT_FALSE(more.HasMoreAfter(2));
  MaskSource most(folder.path().string());
  most.Read(0, 2, 2, &mask);
  EXPECT_TRUE(most.HasMoreAfter(1));
}

TEST(MaskSource, DamageIsAnError) {
  const TempFolder folder;
  WriteMask(folder.path() / "0.png", 255, 255);
  std::ofstream(folder.path() / "1.png") << "not an image";
  MaskSource masks(folder.path().string());
  std::vector<uint8_t> mask;
  masks.Read(0, 2, 2, &mask);
  EXPECT_THAT(ErrorFrom([&] { masks.Read(1, 2, 2, &mask); }), HasSubstr("the mask of frame 1 is damaged"));
  EXPECT_THAT(ErrorFrom([&] { MaskSource((folder.path() / "none.png").string()); }),
              HasSubstr("no such file"));
}

}  // namespace
}  // namespace calfvo
