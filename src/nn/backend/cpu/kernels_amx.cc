// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64 with AMX: matrix products of bf16 and of 8-bit integers in tiles of 16 × 16 sums, which
// registers hold eight tiles for. Matrices of the bf16 kernels are in panels and tiles (MatrixLayout).
#define CALFVO_ISA isa_amx
#include "nn/backend/cpu/kernels_impl.h"

namespace calfvo {
namespace isa_amx {
namespace {

constexpr int64_t kTile = MatrixLayout::kTileRows;        // rows, and columns, of a tile of sums
constexpr int64_t kDepth = MatrixLayout::kRun<BFloat16>;  // elements along the sum that one product takes
constexpr int64_t kTileElements = kTile * kDepth;         // of a tile of factors

// The compiler moves no loads or stores across this. GCC does not know that tile loads read memory, and it
// must keep the vector units' work between the products where it was written.
inline void CompilerBarrier() {
  asm volatile("" : : : "memory");
}

void ConfigureTiles() {
  alignas(64) uint8_t config[64] = {1};  // palette 1
  for (int tile = 0; tile < 8; ++tile) {
    config[16 + 2 * tile] = 64;  // bytes per row
    config[48 + tile] = kTile;   // rows
  }
  CompilerBarrier();
  _tile_loadconfig(config);
}

typedef uint16_t ElementVec __attribute__((vector_size(64)));  // bits of 32 elements

// Both vectors' elements, those of `a` first.
inline ElementVec ToElements(Vec a, Vec b) {
  return reinterpret_cast<ElementVec>(
      _mm512_cvtne2ps_pbh(reinterpret_cast<__m512>(b), reinterpret_cast<__m512>(a)));
}
inline void StoreElements(BFloat16* to, ElementVec elements) {
  __builtin_memcpy(static_cast<void*>(to), &elements, sizeof(elements));
}

#include "nn/backend/cpu/amx_attention.h"
#include "nn/backend/cpu/amx_norm.h"
// In this order.
#include "nn/backend/cpu/amx_pack.h"

#include "nn/backend/cpu/amx_overlap.h"

#include "nn/backend/cpu/amx_product.h"

#include "nn/backend/cpu/amx_int8.h"

// Products of tiles that stay in registers. Not of zeros, which may run faster.
double AmxPeakFlop(int64_t steps) {
  alignas(64) BFloat16 elements[kTileElements];
  for (int64_t i = 0; i < kTileElements; ++i)
    elements[i] = ToElement(static_cast<float>(i % 7 - 3) * 0.1F, elements);
  ConfigureTiles();
  CompilerBarrier();
  _tile_loadd(4, elements, 64);
  _tile_loadd(5, elements, 64);
  _tile_loadd(6, elements, 64);
  _tile_loadd(7, elements, 64);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  for (int64_t k = 0; k < steps; k += 4) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_release();
  const int64_t products = steps / 4 * 4 * kTile * kTile * kDepth;
  return 2.0 * static_cast<double>(products);
}

}  // namespace

constexpr CpuKernels AmxKernels() {
  CpuKernels kernels = MakeKernels<Bf16Product>("AMX", true);
  kernels.tiled = true;
  kernels.panel = kPanelColumns;
  kernels.row_tile = kBlock;
  kernels.task_rows = AmxTaskRows;
  kernels.most_depth = kMostDepth;
  kernels.packed_size = AmxPackedSize;
  kernels.pack = AmxPack;
  kernels.panel_size = AmxPanelSize;
  kernels.pack_space = AmxPackSpace;
  kernels.linear = AmxLinear;
  kernels.layer_norm = AmxLayerNorm;
  kernels.attention_space = AmxAttentionSpace;
  kernels.attention = AmxAttention;
  kernels.temporal = TemporalAttention<BFloat16, /*tiled=*/true>;
  kernels.peak_flop = AmxPeakFlop;
  return kernels;
}

// Matrices are in rows.
constexpr CpuKernels AmxInt8Kernels() {
  CpuKernels kernels = MakeKernels<Bf16Product>("AMX", true);
  kernels.attention_space = AmxAttentionSpace;
  kernels.attention = AmxAttention;
  kernels.int8 = &kInt8Kernels<AmxInt8Tiles, BFloat16>;
  return kernels;
}

}  // namespace isa_amx

extern const CpuKernels kAmxKernels;
const CpuKernels kAmxKernels = isa_amx::AmxKernels();
extern const CpuKernels kAmxInt8Kernels;
const CpuKernels kAmxInt8Kernels = isa_amx::AmxInt8Kernels();

}  // namespace calfvo
