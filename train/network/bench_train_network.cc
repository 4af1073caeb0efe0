// SPDX-License-Identifier: Apache-2.0
// Milliseconds and TFLOP/s of a forward and backward pass on the GPU, without data, loss and optimiser:
//   bench_train_network [model] [windows]
#include <ATen/ops/randint.h>
#include <fmt/format.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "network/train_network.h"

namespace calfvo::train {
namespace {

constexpr int kWarmUps = 5;
constexpr int kRepeats = 20;

// Multiplications of one window's forward pass: products, convolutions and attention.
double Multiplications(const ModelConfig& config) {
  const double tokens = config.tokens();
  const double frames = config.window;
  const auto block = [](double rows, double length, double dim, double hidden) {
    return rows * dim * (4.0 * dim + 2.0 * length + 2.0 * hidden);
  };
  const EncoderConfig& encoder = config.encoder;
  double frame = 0.0;
  if (encoder.kind == EncoderKind::kPair) {
    double in = 6.0;
    double side = config.input.size;
    for (size_t s = 0; s < 4; ++s) {
      side /= 2.0;
      const double out = encoder.channels[s];
      frame += side * side * 9.0 * out * (in + 2.0 * encoder.blocks[s] * out);
      in = out;
    }
  } else {
    frame += tokens * 3.0 * encoder.patch * encoder.patch * encoder.dim;
  }
  const double length = tokens + encoder.prefix_tokens();
  frame += encoder.depth * block(length, length, encoder.dim, encoder.hidden);
  const DecoderConfig& decoder = config.decoder;
  double layer = 0.0;
  if (decoder.kind == DecoderKind::kTimeSpace) {
    const double rows = frames * (tokens + 1.0);
    layer = block(rows, tokens + 1.0, decoder.dim, decoder.hidden) +
            rows * decoder.dim * (5.0 * decoder.dim + 2.0 * frames);
  } else {
    const double rows = frames * tokens + 1.0;
    layer = block(rows, rows, decoder.dim, decoder.hidden);
  }
  return frames * frame + decoder.depth * layer;
}

double MedianMilliseconds(const ModelConfig& config, bool motion_head, int64_t windows) {
  TrainNetwork network(config, NetworkOptions{.motion_head = motion_head, .bf16 = true});
  network->to(at::kCUDA);
  const int64_t size = config.input.size;
  const at::Tensor frames =
      at::randint(256, {windows, config.window, size, size, 3}, at::kByte).to(at::kCUDA);
  std::vector<double> times;
  for (int i = 0; i < kWarmUps + kRepeats; ++i) {
    torch::cuda::synchronize();
    const auto start = std::chrono::steady_clock::now();
    const NetworkOutput output = network->forward(frames);
    at::Tensor loss = output.values.square().mean();
    if (motion_head) loss = loss + output.motion.square().mean();
    loss.backward();
    torch::cuda::synchronize();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (i >= kWarmUps) times.push_back(time.count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace
}  // namespace calfvo::train

int main(int argc, char** argv) {
  using namespace calfvo;
  const ModelConfig config = NamedConfig(argc > 1 ? argv[1] : "calfvo-s");
  const int64_t windows = argc > 2 ? std::atoll(argv[2]) : 96;
  for (const bool motion_head : {false, true}) {
    const double milliseconds = train::MedianMilliseconds(config, motion_head, windows);
    // A product costs two operations forward and four backward per multiplication.
    const double operations = 6.0 * train::Multiplications(config) * static_cast<double>(windows);
    fmt::print("{}, {} windows, bf16, {} motion head: {:.1f} ms, {:.0f} TFLOP/s\n", config.name, windows,
               motion_head ? "with" : "without", milliseconds, operations / milliseconds * 1e-9);
  }
}
