// SPDX-License-Identifier: Apache-2.0
// The source of the AMX kernels, with functions in the place of the instructions for tiles, so that they can
// be tested on CPUs without AMX.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace calfvo {
namespace {

constexpr int kRows = 16;
constexpr size_t kRowBytes = 64;

struct Tile {
  std::byte bytes[kRows][kRowBytes];
};
thread_local Tile tiles[8];

void ZeroTile(int tile) {
  tiles[tile] = {};
}

void LoadTile(int tile, const void* from, int64_t stride) {
  for (int row = 0; row < kRows; ++row) {
    std::memcpy(tiles[tile].bytes[row], static_cast<const std::byte*>(from) + row * stride, kRowBytes);
  }
}

void StoreTile(int tile, void* to, int64_t stride) {
  for (int row = 0; row < kRows; ++row) {
    std::memcpy(static_cast<std::byte*>(to) + row * stride, tiles[tile].bytes[row], kRowBytes);
  }
}

typedef uint32_t Words __attribute__((vector_size(kRowBytes)));
typedef float Floats __attribute__((vector_size(kRowBytes)));

template <typename Row>
Row LoadRow(int tile, int row) {
  Row values;
  std::memcpy(&values, tiles[tile].bytes[row], kRowBytes);
  return values;
}

// sums [16][16] += a [16][16 pairs] · b [16 pairs][16]. A bf16 is the upper half of a float.
void MultiplyTiles(int sums, int a, int b) {
  Floats first[kRows], second[kRows];  // of the pairs of b
  for (int k = 0; k < kRows; ++k) {
    const auto pairs = LoadRow<Words>(b, k);
    first[k] = reinterpret_cast<Floats>(pairs << 16);
    second[k] = reinterpret_cast<Floats>(pairs & 0xFFFF0000U);
  }
  for (int row = 0; row < kRows; ++row) {
    auto total = LoadRow<Floats>(sums, row);
    const auto pairs = LoadRow<Words>(a, row);
    const auto ours_first = reinterpret_cast<Floats>(pairs << 16);
    const auto ours_second = reinterpret_cast<Floats>(pairs & 0xFFFF0000U);
    for (int k = 0; k < kRows; ++k) total += ours_first[k] * first[k] + ours_second[k] * second[k];
    std::memcpy(tiles[sums].bytes[row], &total, kRowBytes);
  }
}

}  // namespace
}  // namespace calfvo

// NOLINTBEGIN(bugprone-reserved-identifier)
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stream_loadd
#undef _tile_stored
#undef _tile_dpbf16ps
#define _tile_zero(tile) ZeroTile(tile)
#define _tile_loadd(tile, from, stride) LoadTile(tile, from, stride)
#define _tile_stream_loadd(tile, from, stride) LoadTile(tile, from, stride)
#define _tile_stored(tile, to, stride) StoreTile(tile, to, stride)
#define _tile_dpbf16ps(sums, a, b) MultiplyTiles(sums, a, b)
#define _tile_loadconfig(config) static_cast<void>(config)
#define _tile_release() static_cast<void>(0)
// NOLINTEND(bugprone-reserved-identifier)
// Names of its own, beside those of the library.
#define isa_amx isa_emulated_amx
#define kAmxKernels kEmulatedAmxKernels
#include "backend/cpu/kernels_amx.cc"  // NOLINT(bugprone-suspicious-include)
