// SPDX-License-Identifier: Apache-2.0
#include "synth/texture_pool.h"

#include <gtest/gtest.h>
#include <png.h>

#include <vector>

#include "base/testing.h"

namespace calfvo {
namespace {

using synth::SampleTexture;
using synth::Vec3;

// Left half red, right half blue.
std::vector<uint8_t> TwoHalves(int width, int height) {
  std::vector<uint8_t> rgb(static_cast<size_t>(3 * width * height), 0);
  for (int i = 0; i < width * height; ++i) rgb[3 * i + (i % width < width / 2 ? 0 : 2)] = 255;
  return rgb;
}

TEST(TexturePool, SamplesWhatWasAddedAtEveryLevel) {
  TexturePool pool;
  pool.Add(TwoHalves(100, 60).data(), 100, 60);
  ASSERT_EQ(pool.size(), 1);
  const Vec3 left = SampleTexture(pool.view(), 0, 0.25F, 0.5F, 0.001F);
  const Vec3 right = SampleTexture(pool.view(), 0, 0.75F, 0.5F, 0.001F);
  EXPECT_NEAR(left.x, 1.0F, 1e-3F);
  EXPECT_NEAR(left.z, 0.0F, 1e-3F);
  EXPECT_NEAR(right.z, 1.0F, 1e-3F);
  const Vec3 far = SampleTexture(pool.view(), 0, 0.25F, 0.5F, 10.0F);  // the level of one texel
  EXPECT_NEAR(far.x, far.z, 0.02F);
}

TEST(TexturePool, ReadsAFolderInOrderOfNames) {
  const TempFolder folder;
  for (const char* name : {"b.png", "a.png"}) {
    std::vector<uint8_t> rgb(3 * 16 * 16, name[0] == 'a' ? 255 : 0);
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = image.height = 16;
    image.format = PNG_FORMAT_RGB;
    ASSERT_NE(png_image_write_to_file(&image, (folder.path() / name).c_str(), 0, rgb.data(), 0, nullptr), 0);
  }
  const TexturePool pool = TexturePool::FromFolder(folder.path());
  ASSERT_EQ(pool.size(), 2);
  EXPECT_NEAR(SampleTexture(pool.view(), 0, 0.5F, 0.5F, 0.01F).x, 1.0F, 1e-3F);
  EXPECT_NEAR(SampleTexture(pool.view(), 1, 0.5F, 0.5F, 0.01F).x, 0.0F, 1e-3F);
}

TEST(TexturePool, NamesWhatItCannotRead) {
  const TempFolder folder;
  EXPECT_NE(ErrorFrom([&] { TexturePool::FromFolder(folder.path()); }).find("no .png"), std::string::npos);
  EXPECT_NE(ErrorFrom([&] { TexturePool::FromFolder(folder.path() / "none"); }).find("none"),
            std::string::npos);
  std::ofstream(folder.path() / "broken.png") << "not a picture";
  EXPECT_NE(ErrorFrom([&] { TexturePool::FromFolder(folder.path()); }).find("broken.png"), std::string::npos);
  std::filesystem::remove(folder.path() / "broken.png");
  std::ofstream(folder.path() / "broken.jpg") << "not a picture";
  EXPECT_NE(ErrorFrom([&] { TexturePool::FromFolder(folder.path()); }).find("broken.jpg"), std::string::npos);
}

}  // namespace
}  // namespace calfvo
