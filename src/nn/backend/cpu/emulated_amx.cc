// SPDX-License-Identifier: Apache-2.0
// The AMX kernels with functions in place of the instructions for tiles and for bf16, so that they can be
// tested on CPUs with AVX-512 alone.
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

// sums [16][16] += a [16][64] · b [16 fours][16][4] of bytes, those of `a` unsigned.
void MultiplyByteTiles(int sums, int a, int b) {
  for (int row = 0; row < kRows; ++row) {
    auto total = LoadRow<Words>(sums, row);
    for (size_t k = 0; k < kRowBytes; ++k) {
      const auto ours = static_cast<uint32_t>(tiles[a].bytes[row][k]);
      for (size_t column = 0; column < kRows; ++column) {
        const auto theirs = static_cast<int8_t>(tiles[b].bytes[k / 4][4 * column + k % 4]);
        total[column] += ours * static_cast<uint32_t>(int32_t{theirs});
      }
    }
    std::memcpy(tiles[sums].bytes[row], &total, kRowBytes);
  }
}

// 16 numbers to bf16, rounded to nearest even.
typedef uint16_t Halves __attribute__((vector_size(32)));
Halves RoundToBf16(__m512 numbers) {
  const auto bits = reinterpret_cast<Words>(numbers);
  return __builtin_convertvector((bits + 0x7fff + ((bits >> 16) & 1)) >> 16, Halves);
}
__m256bh OneToBf16(__m512 numbers) {
  return reinterpret_cast<__m256bh>(RoundToBf16(numbers));
}
__m512bh TwoToBf16(__m512 upper, __m512 lower) {
  const Halves halves[2] = {RoundToBf16(lower), RoundToBf16(upper)};
  __m512bh both;
  std::memcpy(&both, halves, sizeof(both));
  return both;
}
__m512 AddBf16Products(__m512 sums, __m512bh a, __m512bh b) {
  const auto ours = reinterpret_cast<Words>(a);
  const auto theirs = reinterpret_cast<Words>(b);
  const Floats odd =
      reinterpret_cast<Floats>(ours & 0xFFFF0000U) * reinterpret_cast<Floats>(theirs & 0xFFFF0000U);
  const Floats even = reinterpret_cast<Floats>(ours << 16) * reinterpret_cast<Floats>(theirs << 16);
  return reinterpret_cast<__m512>(reinterpret_cast<Floats>(sums) + odd + even);
}

}  // namespace
}  // namespace calfvo

// NOLINTBEGIN(bugprone-reserved-identifier)
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stream_loadd
#undef _tile_stored
#undef _tile_dpbf16ps
#undef _tile_dpbusd
#define _tile_zero(tile) ZeroTile(tile)
#define _tile_loadd(tile, from, stride) LoadTile(tile, from, stride)
#define _tile_stream_loadd(tile, from, stride) LoadTile(tile, from, stride)
#define _tile_stored(tile, to, stride) StoreTile(tile, to, stride)
#define _tile_dpbf16ps(sums, a, b) MultiplyTiles(sums, a, b)
#define _tile_dpbusd(sums, a, b) MultiplyByteTiles(sums, a, b)
#define _tile_loadconfig(config) static_cast<void>(config)
#define _tile_release() static_cast<void>(0)
#define __AVX512BF16__ 1
#define _mm512_cvtneps_pbh(numbers) OneToBf16(numbers)
#define _mm512_cvtne2ps_pbh(upper, lower) TwoToBf16(upper, lower)
#define _mm512_dpbf16_ps(sums, a, b) AddBf16Products(sums, a, b)
// NOLINTEND(bugprone-reserved-identifier)
// Names distinct from those in the library.
#define isa_amx isa_emulated_amx
#define kAmxKernels kEmulatedAmxKernels
#define kAmxInt8Kernels kEmulatedAmxInt8Kernels
#include "nn/backend/cpu/kernels_amx.cc"  // NOLINT(bugprone-suspicious-include)
