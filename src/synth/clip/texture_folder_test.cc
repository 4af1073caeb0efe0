// SPDX-License-Identifier: Apache-2.0
#include "synth/clip/texture_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "core/base/testing.h"
#include "core/image/png.h"

namespace calfvo {
namespace {

using synth::SampleTexture;
using testing::HasSubstr;

std::string ErrorOf(const std::filesystem::path& folder) {
  return ErrorFrom([&] { ReadTextures(folder); });
}

TEST(TextureFolder, IsReadInOrderOfNames) {
  const TempFolder folder;
  for (const char* name : {"b.png", "a.PNG"}) {
    const std::vector<uint8_t> rgb(3 * 16 * 16, name[0] == 'a' ? 255 : 0);
    WritePng(folder.path() / name, {16, 16, PixelFormat::kRgb8, rgb.data(), 3 * 16});
  }
  std::ofstream(folder.path() / "c.pgm") << "P5 1 1 255\n\x33";
  std::ofstream(folder.path() / "notes.txt") << "no image";
  const TexturePool pool = ReadTextures(folder.path());
  ASSERT_EQ(pool.size(), 3);
  EXPECT_NEAR(SampleTexture(pool.view(), 0, 0.5F, 0.5F, 0.01F).x, 1.0F, 1e-3F);
  EXPECT_NEAR(SampleTexture(pool.view(), 1, 0.5F, 0.5F, 0.01F).x, 0.0F, 1e-3F);
  // 51 of 255, made linear by squaring.
  EXPECT_NEAR(SampleTexture(pool.view(), 2, 0.5F, 0.5F, 0.01F).x, 0.04F, 1e-3F);
  EXPECT_EQ(ReadTextures({}).size(), 0);
}

TEST(TextureFolder, WhatCannotBeReadIsNamed) {
  const TempFolder folder;
  EXPECT_THAT(ErrorOf(folder.path()), HasSubstr("holds no image"));
  EXPECT_THAT(ErrorOf(folder.path() / "none"), HasSubstr("none: No such file"));
  for (const char* name : {"broken.png", "broken.jpg"}) {
    std::ofstream(folder.path() / name) << "not an image";
    EXPECT_THAT(ErrorOf(folder.path()), HasSubstr(std::string(name) + ": begins with 'not an i'"));
    std::filesystem::remove(folder.path() / name);
  }
}

}  // namespace
}  // namespace calfvo
