// SPDX-License-Identifier: Apache-2.0
#include "nn/architecture/model_flops.h"

#include <gtest/gtest.h>

namespace calfvo {
namespace {

// 2 × 2 tokens of width 3, windows of 2 frames: small enough to count on paper.
ModelConfig PaperConfig() {
  ModelConfig config = NamedConfig("calfvo-l");
  config.window = 2;
  config.input.size = 4;
  config.encoder.patch = 2;
  config.encoder.dim = 3;
  config.encoder.depth = 2;
  config.encoder.heads = 1;
  config.encoder.hidden = 5;
  config.decoder.dim = 3;
  config.decoder.depth = 1;
  config.decoder.heads = 1;
  config.decoder.hidden = 7;
  return config;
}

TEST(ModelFlops, CountedByHand) {
  const ModelFlops flops = CountFlops(PaperConfig());
  // Patches 2·4·12·3; a block: qkv 2·4·3·9, scores and mixing 2·(2·4·4·3), proj 2·4·3·3, fc1 and fc2
  // 2·(2·4·3·5).
  EXPECT_EQ(flops.encode_frame, 288 + 2 * (216 + 192 + 72 + 240));
  // In time, 4 places of 2 frames: qkv 2·8·3·9, attention 4·2·(2·2·2·3), proj and out 2·(2·8·3·3). In space,
  // 2 frames of 5: qkv 2·10·3·9, attention 2·2·(2·5·5·3), proj 2·10·3·3. Feed-forward of 9 tokens
  // 2·(2·9·3·7). Head 2·9·14: the camera's and two frames' 3 values to 14.
  EXPECT_EQ(flops.decode_window, (432 + 192 + 288) + (540 + 600 + 180) + 756 + 252);
  EXPECT_EQ(flops.PerFrame(1), flops.encode_frame + flops.decode_window);
}

TEST(ModelFlops, FullDecoderAndAnotherWidth) {
  ModelConfig config = PaperConfig();
  config.decoder.kind = DecoderKind::kFull;
  config.decoder.dim = 6;
  config.head.confidence = false;
  const ModelFlops flops = CountFlops(config);
  // 4 tokens from 3 to 6 on top of the encoder.
  EXPECT_EQ(flops.encode_frame, CountFlops(PaperConfig()).encode_frame + 144);
  // 9 tokens: qkv and proj 2·9·6·24, attention 2·(2·9·9·6), fc1 and fc2 2·(2·9·6·7); head 2·18·12.
  EXPECT_EQ(flops.decode_window, 2592 + 1944 + 1512 + 432);
}

TEST(ModelFlops, PairEncoder) {
  ModelConfig config = PaperConfig();
  config.input.size = 16;
  config.encoder.kind = EncoderKind::kPair;
  config.encoder.patch = 16;
  config.encoder.channels = {1, 2, 1, 3};
  config.encoder.blocks = {0, 1, 0, 0};
  config.encoder.depth = 1;
  // Maps of 8², 4², 2² and 1 pixels: 2·64·54·1, 2·16·9·2 and two of 2·16·18·2, 2·4·18·1, 2·1·9·3; then one
  // token: qkv 54, attention 12, proj 18, fc1 and fc2 60.
  EXPECT_EQ(CountFlops(config).encode_frame, 6912 + 576 + 2 * 1152 + 144 + 54 + (54 + 12 + 18 + 60));
}

TEST(ModelFlops, PrefixTokensCount) {
  ModelConfig config = PaperConfig();
  config.encoder.kind = EncoderKind::kDinov2;
  config.encoder.registers = 1;
  // Six tokens in the blocks instead of four.
  EXPECT_EQ(CountFlops(config).encode_frame, 288 + 2 * (324 + 432 + 108 + 360));
}

// 122.5 for the frame, and a third of a window's 687.7.
TEST(ModelFlops, ThePapersModel) {
  EXPECT_NEAR(1e-9 * CountFlops(NamedConfig("calfvo-l")).PerFrame(3), 351.7, 0.5);
}

}  // namespace
}  // namespace calfvo
