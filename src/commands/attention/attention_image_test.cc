// SPDX-License-Identifier: Apache-2.0
#include "commands/attention/attention_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/image/image_decoder.h"
#include "eval/plot/color.h"
#include "io/datasets/test_sequences.h"
#include "nn/architecture/model_file.h"
#include "nn/weights/memory_weights.h"
#include "vo/tiny_model.h"

namespace calfvo {
namespace {

using testing::HasSubstr;

SquareImage Black(int size) {
  return {size, std::vector<uint8_t>(static_cast<size_t>(3 * size * size), 0)};
}
std::vector<int> PixelOf(const SquareImage& image, int x, int y) {
  const uint8_t* pixel = image.rgb.data() + 3 * (y * image.size + x);
  return {pixel[0], pixel[1], pixel[2]};
}

TEST(DrawPatch, FramesThePatchOnly) {
  SquareImage image = Black(32);
  DrawPatch(4, 6, image);  // the third of the second row: x 16 to 23, y 8 to 15
  EXPECT_EQ(PixelOf(image, 16, 8), (std::vector<int>{255, 0, 0}));
  EXPECT_EQ(PixelOf(image, 23, 15), (std::vector<int>{255, 0, 0}));
  EXPECT_EQ(PixelOf(image, 20, 12), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(PixelOf(image, 15, 8), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(PixelOf(image, 24, 15), (std::vector<int>{0, 0, 0}));
}

TEST(DrawMap, TheMostIsBrightestInItsMiddle) {
  SquareImage image = Black(33);
  const double map[] = {0.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0};
  DrawMap(map, 3, image);  // patches of 11: the middle of the sixth is pixel (27, 16)
  const Color most = ColorMap(1.0);
  const auto near = [](int value, int color) { EXPECT_NEAR(value, 0.6 * color, 0.51); };
  const auto bright = PixelOf(image, 27, 16);
  near(bright[0], most.r);
  near(bright[1], most.g);
  const Color none = ColorMap(0.0);
  const auto dark = PixelOf(image, 2, 2);
  near(dark[0], none.r);
  near(dark[1], none.g);
  near(dark[2], none.b);
}

class WriteAttentionTest : public testing::Test {
 protected:
  WriteAttentionTest() {
    const ModelFile model = RandomModel(TinyConfig(), 1);
    SaveModelFile(model.config, *model.weights, DType::kF32, At("tiny.safetensors"));
    for (int i = 0; i < 9; ++i) WriteFile(At("images") / fmt::format("{}.png", i), TruePng(i));
  }
  std::filesystem::path At(const std::string& name) const { return folder_.path() / name; }
  std::filesystem::path Write(const AttentionImageOptions& options) const {
    return WriteAttention(At("images").string(), At("tiny.safetensors").string(), options, At("out"));
  }

  const TempFolder folder_;
};

TEST_F(WriteAttentionTest, AStripOfTheQueryAndWhatFollows) {
  Frame strip;
  DecodeImage(ReadWholeFile(Write({.frames = 3})), strip);
  EXPECT_EQ(strip.width, 4 * 32);
  EXPECT_EQ(strip.height, 32);
  const std::string first = ReadWholeFile(At("out/attention.png"));
  Write({.frames = 3});
  EXPECT_EQ(ReadWholeFile(At("out/attention.png")), first);
  Write({.x = 0.1, .frames = 3});
  EXPECT_NE(ReadWholeFile(At("out/attention.png")), first);
}

class WriteAttentionOfShapesTest : public WriteAttentionTest {
 protected:
  // A model that listens to its images' aspect, times `factor`.
  void WriteModel(float factor) const {
    ModelConfig config = TinyConfig();
    config.input.aspect = true;
    MemoryWeights weights("test");
    for (const TensorSpec& spec : ModelTensors(config)) {
      Tensor tensor = RandomWeight(spec, 1);
      if (spec.name == "decoder.aspect") {
        for (float& value : tensor.MutableData<float>()) value *= factor;
      }
      weights.Add(spec.name, std::move(tensor));
    }
    SaveModelFile(config, weights, DType::kF32, At("tiny.safetensors"));
  }
};

TEST_F(WriteAttentionOfShapesTest, IsThatOfImagesInTheirShape) {
  std::string images[2];
  for (const int factor : {0, 1}) {  // the images are twice as wide as high
    WriteModel(100.0F * static_cast<float>(factor));
    images[factor] = ReadWholeFile(Write({.frames = 3}));
  }
  EXPECT_NE(images[0], images[1]);
}

TEST_F(WriteAttentionOfShapesTest, PixelsNeedNotBeSquare) {
  WriteModel(100.0F);
  const auto of_pixels = [&](const std::string& aspect) {
    std::string video = "YUV4MPEG2 W8 H4 Cmono " + aspect + "\n";
    for (int i = 0; i < 8; ++i) {
      video += "FRAME\n";
      for (int pixel = 0; pixel < 8 * 4; ++pixel) video += static_cast<char>(31 * pixel * (i + 1));
    }
    WriteFile(At("video.y4m"), video);
    return ReadWholeFile(
        WriteAttention(At("video.y4m").string(), At("tiny.safetensors").string(), {.frames = 3}, At("out")));
  };
  EXPECT_NE(of_pixels("A2:1"), of_pixels("A1:1"));
}

TEST_F(WriteAttentionTest, NamesWhatIsWrong) {
  const auto message = [&](const AttentionImageOptions& options) {
    return ErrorFrom([&] { Write(options); });
  };
  EXPECT_THAT(message({.x = 1.5}), HasSubstr("x is 1.5; expected 0 to 1"));
  EXPECT_THAT(message({.frames = 8}), HasSubstr("frames is 8; expected 1 to 7"));
  EXPECT_THAT(message({.stride = 2}), HasSubstr("has 5 frames from 0 s on; the model's window needs 8"));
}

}  // namespace
}  // namespace calfvo
