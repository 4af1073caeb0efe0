// SPDX-License-Identifier: Apache-2.0
#include "nn/architecture/model_flops.h"

namespace calfvo {
namespace {

double Product(double rows, double in, double out) {
  return 2.0 * rows * in * out;
}

// Scores and mixing, for each of `length` queries over `length` keys.
double Attention(double sequences, double length, double dim) {
  return 2.0 * Product(sequences * length, dim, length);
}

double FeedForward(double rows, double dim, double hidden) {
  return 2.0 * Product(rows, dim, hidden);
}

double Stem(const EncoderConfig& encoder, int size) {
  double flops = 0.0;
  int in = 6;
  int side = size;
  for (size_t stage = 0; stage < encoder.channels.size(); ++stage) {
    const int channels = encoder.channels[stage];
    side /= 2;
    const double pixels = static_cast<double>(side) * side;
    flops += Product(pixels, 9.0 * in, channels);
    flops += 2.0 * encoder.blocks[stage] * Product(pixels, 9.0 * channels, channels);
    in = channels;
  }
  return flops;
}

double EncodeFrame(const ModelConfig& config) {
  const EncoderConfig& encoder = config.encoder;
  const double tokens = config.tokens();
  const double dim = encoder.dim;
  const double rows = tokens + encoder.prefix_tokens();
  const double block =
      Product(rows, dim, 4.0 * dim) + Attention(1.0, rows, dim) + FeedForward(rows, dim, encoder.hidden);
  const double embedding = encoder.kind == EncoderKind::kPair
                               ? Stem(encoder, config.input.size)
                               : Product(tokens, 3.0 * encoder.patch * encoder.patch, dim);
  const double input = encoder.dim == config.decoder.dim ? 0.0 : Product(tokens, dim, config.decoder.dim);
  return embedding + encoder.depth * block + input;
}

double DecodeWindow(const ModelConfig& config) {
  const DecoderConfig& decoder = config.decoder;
  const double tokens = config.tokens();
  const double frames = config.window;
  const double dim = decoder.dim;
  double layer = 0.0;
  if (decoder.kind == DecoderKind::kTimeSpace) {
    // qkv, proj and the map after it; the camera token takes no part.
    layer += Product(frames * tokens, dim, 5.0 * dim) + Attention(tokens, frames, dim);
    layer += Product(frames * (1.0 + tokens), dim, 4.0 * dim) + Attention(frames, 1.0 + tokens, dim);
  } else {
    layer += Product(1.0 + frames * tokens, dim, 4.0 * dim) + Attention(1.0, 1.0 + frames * tokens, dim);
  }
  layer += FeedForward(1.0 + frames * tokens, dim, decoder.hidden);
  const double head = Product(1.0, (1.0 + frames) * dim, (frames - 1.0) * config.head.values_per_pair());
  return decoder.depth * layer + head;
}

}  // namespace

ModelFlops CountFlops(const ModelConfig& config) {
  return {EncodeFrame(config), DecodeWindow(config)};
}

}  // namespace calfvo
