// SPDX-License-Identifier: Apache-2.0
// Speed and memory of a forward and backward pass on the GPU, without data, loss and optimiser.
#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <fmt/format.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <string>
#include <vector>

#include "network/train_network.h"
#include "nn/architecture/model_flops.h"

namespace calfvo::train {
namespace {

constexpr int kWarmUps = 5;
constexpr int kRepeats = 20;

// What is trained, and where the decoder's tokens come from.
enum class Part {
  kWhole,    // everything
  kDecoder,  // the decoder, with a frozen encoder that runs without gradients
  kCached,   // the decoder alone, on tokens that are there already
};

// Of one window's pass. A product costs as much again for each of its two gradients.
double Operations(const ModelConfig& config, Part part) {
  const ModelFlops flops = CountFlops(config);
  const double encoder = config.window * flops.encode_frame;
  if (part == Part::kWhole) return 3.0 * (encoder + flops.decode_window);
  return 3.0 * flops.decode_window + (part == Part::kDecoder ? encoder : 0.0);
}

double MedianMilliseconds(const ModelConfig& config, Part part, bool motion_head, int64_t windows) {
  TrainNetwork network(
      config,
      NetworkOptions{.motion_head = motion_head, .bf16 = true, .train_encoder = part == Part::kWhole});
  network->to(at::kCUDA);
  const int64_t size = config.input.size;
  at::Tensor input;
  if (part == Part::kCached) {
    input =
        at::randn({windows, config.window, config.tokens(), config.encoder.dim}).to(at::kCUDA, at::kBFloat16);
  } else {
    input = at::randint(256, {windows, config.window, size, size, 3}, at::kByte).to(at::kCUDA);
  }
  std::vector<double> times;
  for (int i = 0; i < kWarmUps + kRepeats; ++i) {
    torch::cuda::synchronize();
    const auto start = std::chrono::steady_clock::now();
    const NetworkOutput output = part == Part::kCached ? network->Decode(input) : network->forward(input);
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

void Report(const ModelConfig& config, Part part, bool motion_head, int64_t windows) {
  namespace allocator = c10::cuda::CUDACachingAllocator;
  at::empty({1}, at::kCUDA);  // the allocator's figures are there only after its first use
  allocator::emptyCache();
  allocator::resetPeakStats(0);
  const double milliseconds = MedianMilliseconds(config, part, motion_head, windows);
  const double operations = Operations(config, part) * static_cast<double>(windows);
  const auto stats = allocator::getDeviceStats(0);
  const char* name = part == Part::kWhole     ? "whole"
                     : part == Part::kDecoder ? "frozen encoder"
                                              : "cached tokens";
  fmt::print(
      "{}, {}, {} windows, bf16, {} motion head: {:.1f} ms, {:.0f} windows/s, {:.0f} TFLOP/s, {:.2f} GB\n",
      config.name, name, windows, motion_head ? "with" : "without", milliseconds,
      1e3 * static_cast<double>(windows) / milliseconds, operations / milliseconds * 1e-9,
      1e-9 * static_cast<double>(stats.reserved_bytes[0].peak));  // index 0: of all pools
}

}  // namespace
}  // namespace calfvo::train

int main(int argc, char** argv) {
  using namespace calfvo;
  CLI::App app(
      "Speed and memory of training passes on the GPU: milliseconds, windows/s, TFLOP/s and peak memory");
  std::string model = "calfvo-s";
  int64_t windows = 96;
  std::string tokens;
  app.add_option("model", model, "calfvo-s or calfvo-l")->capture_default_str();
  app.add_option("windows", windows, "per pass")->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option(
         "--tokens", tokens,
         "train the decoder alone: on tokens that are there already (cached), or with the frozen encoder in "
         "every pass (encoder); without this, the whole network is trained")
      ->check(CLI::IsMember({"cached", "encoder"}));
  CLI11_PARSE(app, argc, argv);
  const train::Part part = tokens.empty()        ? train::Part::kWhole
                           : tokens == "encoder" ? train::Part::kDecoder
                                                 : train::Part::kCached;
  at::globalContext().setBenchmarkCuDNN(true);  // as the trainer does
  const ModelConfig config = NamedConfig(model);
  for (const bool motion_head : {false, true}) train::Report(config, part, motion_head, windows);
}
