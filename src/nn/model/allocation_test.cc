// SPDX-License-Identifier: Apache-2.0
// After the first frames, encoding and decoding do not allocate. A separate program, because it replaces
// operator new to count.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "nn/architecture/model_file.h"
#include "nn/backend/cpu/cpu_backend.h"
#include "nn/backend/cpu/tested_kernels.h"
#include "nn/model/network.h"

namespace {

std::atomic<bool> counting = false;
std::atomic<int> allocations = 0;

void* Allocate(std::size_t size, std::size_t alignment) {
  if (counting) ++allocations;
  void* memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return Allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

namespace calfvo {
namespace {

TEST(Network, DoesNotAllocateAfterWarmUp) {
  ModelConfig config = NamedConfig("calfvo-s");
  config.encoder.depth = 1;
  config.decoder.depth = 1;
  config.input.aspect = true;
  const ModelFile model = RandomModel(config, 1);
  const auto size = static_cast<size_t>(config.input.size);
  const std::vector<float> image(3 * size * size, 0.25F);
  for (const CpuKernels* kernels : TestedKernels()) {
    const auto backend = MakeCpuBackend(*kernels, 2);
    Network network(config, *model.weights, *backend);
    std::vector<FrameTokens> tokens;
    for (int i = 0; i < config.window; ++i) tokens.push_back(network.MakeTokens());
    std::vector<const FrameTokens*> window;
    for (const FrameTokens& frame : tokens) window.push_back(&frame);
    const std::vector<EncoderInput> frames(3, {image.data(), image.data()});
    const std::vector<FrameTokens*> out = {&tokens[0], &tokens[1], &tokens[2]};
    std::vector<float> values(static_cast<size_t>(network.values_per_window()));
    const auto step = [&] {
      network.SetAspect(1.5);
      network.Encode(frames, out);
      network.Decode(window, values);
    };
    step();
    allocations = 0;
    counting = true;
    for (int i = 0; i < 2; ++i) step();
    counting = false;
    EXPECT_EQ(allocations, 0) << backend->Description();
  }
}

}  // namespace
}  // namespace calfvo
