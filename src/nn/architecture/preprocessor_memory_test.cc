// SPDX-License-Identifier: Apache-2.0
// Heap use of preprocessing. A separate program, because it replaces operator new to count.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include "nn/architecture/preprocessor.h"

namespace {

std::size_t allocated_bytes = 0;

}  // namespace

void* operator new(std::size_t size) {
  allocated_bytes += size;
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// Not inlined: GCC would take them for a free() of what new gave.
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace calfvo {
namespace {

TEST(Preprocessor, AllocatesOnlyWhenTheSizeChanges) {
  const std::vector<uint8_t> pixels(640 * 480 * 3, 100);
  Preprocessor preprocessor(InputConfig{});
  std::vector<float> out(3 * 224 * 224);
  preprocessor.Run({640, 480, PixelFormat::kRgb8, pixels.data(), 640 * 3}, out);
  allocated_bytes = 0;
  for (int i = 0; i < 3; ++i) preprocessor.Run({640, 480, PixelFormat::kRgb8, pixels.data(), 640 * 3}, out);
  EXPECT_EQ(allocated_bytes, 0U);
  preprocessor.Run({480, 480, PixelFormat::kRgb8, pixels.data(), 640 * 3}, out);
  EXPECT_GT(allocated_bytes, 0U);
}

// 800 MB of pixels that were never written to take no memory; a white band in the middle is all there is.
TEST(Preprocessor, MemoryDoesNotGrowWithTheArea) {
  constexpr int kSide = 16384;
  constexpr size_t kBytes = size_t{kSide} * kSide * 3;
  void* mapping =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(mapping, MAP_FAILED);
  auto* pixels = static_cast<uint8_t*>(mapping);
  std::fill_n(pixels + size_t{kSide} * 3 * 8000, size_t{kSide} * 3 * 300, uint8_t{255});
  const InputConfig config;
  std::vector<float> out(3 * 224 * 224);
  allocated_bytes = 0;
  Preprocessor(config).Run({kSide, kSide, PixelFormat::kRgb8, pixels, kSide * ptrdiff_t{3}}, out);
  EXPECT_LT(allocated_bytes, 4U << 20);
  // Output row r is centred on input row (r + 0.5) · 73.14: 111 on 8155, deep in the band; the top is far
  // from it.
  EXPECT_GT(*std::min_element(out.begin() + 111 * 224, out.begin() + 112 * 224), 0.9F);
  EXPECT_EQ(*std::max_element(out.begin(), out.begin() + 100 * 224), -1.0F);
  ::munmap(mapping, kBytes);
}

}  // namespace
}  // namespace calfvo
