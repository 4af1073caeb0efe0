// SPDX-License-Identifier: Apache-2.0
// Products of 8-bit integers on AMX tiles. Included by kernels_amx.cc only, inside its namespace.
#pragma once

// As PackedTiles. A block of 32 × 32 sums stays in tile registers along all of `in`, in the registers of
// amx_product.h. A step is four elements, as for VNNI; tiles take 16 steps.
struct AmxInt8Tiles {
  using Element = uint8_t;
  using Packed = uint32_t;
  using Operand = Packed;
  static constexpr int64_t kRows = 2 * kTile;
  static constexpr int64_t kPerStep = 4;
  static constexpr int kOffset = Int8Rows::kZero;
  static constexpr int64_t kTileSteps = 16;
  static constexpr int64_t kTileWords = kTile * kTileSteps;
  static_assert(kPanel == 2 * kTile);

  static void Begin() { ConfigureTiles(); }
  static void End() { _tile_release(); }

  static int64_t StepsOf(int64_t in) { return RoundUp((in + kPerStep - 1) / kPerStep, kTileSteps); }
  static Packed PackWeights(const int8_t (&w)[kPerStep]) { return PackStep<Packed, int8_t>(w); }
  // For every 16 steps, the tile of the left 16 columns, then that of the right ones.
  static int64_t PanelIndex(int64_t step, int64_t column) {
    return (step / kTileSteps * 2 + column / kTile) * kTileWords + step % kTileSteps * kTile + column % kTile;
  }

  // For every 16 steps, the tile of the upper 16 rows, then that of the lower ones. Bytes beyond `in` meet
  // weights that are zero; rows beyond `count` give sums that are not read.
  static void PackTile(const uint8_t* bytes, int64_t count, int64_t stride, int64_t in, Element* /*elements*/,
                       Packed* to) {
    constexpr int64_t kBytes = kTileSteps * kPerStep;
    auto* tiles = reinterpret_cast<uint8_t*>(to);
    for (int64_t first = 0; first < in; first += kBytes) {
      const auto part = static_cast<size_t>(AtMost(kBytes, in - first));
      for (int64_t row = 0; row < kRows; ++row, tiles += kBytes) {
        __builtin_memset(tiles, 0, kBytes);
        if (row < count) __builtin_memcpy(tiles, bytes + row * stride + first, part);
      }
    }
  }

  static void Multiply(const Packed* rows, int64_t /*stride*/, const Packed* panel, int64_t steps,
                       IVec (&sums)[kRows][kPanelVectors], SpreadPrefetch prefetch) {
    constexpr int64_t kRowBytes = sizeof(sums[0]);
    CompilerBarrier();
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t step = 0; step < steps; step += kTileSteps) {
      for (int64_t i = 0; i < kTileSteps; i += 2) prefetch.RunStep(2 * i);
      _tile_loadd(4, rows, 64);
      _tile_loadd(6, panel, 64);
      _tile_dpbusd(0, 4, 6);
      _tile_loadd(7, panel + kTileWords, 64);
      _tile_dpbusd(1, 4, 7);
      _tile_loadd(5, rows + kTileWords, 64);
      _tile_dpbusd(2, 5, 6);
      _tile_dpbusd(3, 5, 7);
      rows += 2 * kTileWords;
      panel += 2 * kTileWords;
    }
    auto* const first = reinterpret_cast<std::byte*>(&sums);
    _tile_stored(0, first, kRowBytes);
    _tile_stored(1, first + sizeof(IVec), kRowBytes);
    _tile_stored(2, first + kTile * kRowBytes, kRowBytes);
    _tile_stored(3, first + kTile * kRowBytes + sizeof(IVec), kRowBytes);
    CompilerBarrier();
  }

  // Products of tiles that stay in registers.
  static double PeakOperations(int64_t steps) {
    alignas(64) Packed factors[kTileWords];
    for (int64_t i = 0; i < kTileWords; ++i) factors[i] = 0x01030507U * static_cast<Packed>(i % 7 + 1);
    ConfigureTiles();
    CompilerBarrier();
    _tile_loadd(4, factors, 64);
    _tile_loadd(5, factors, 64);
    _tile_loadd(6, factors, 64);
    _tile_loadd(7, factors, 64);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t k = 0; k < steps; k += 4) {
      _tile_dpbusd(0, 4, 6);
      _tile_dpbusd(1, 4, 7);
      _tile_dpbusd(2, 5, 6);
      _tile_dpbusd(3, 5, 7);
    }
    _tile_release();
    return 2.0 * static_cast<double>(steps / 4 * 4 * kTile * kTile * kTileSteps * kPerStep);
  }
};
