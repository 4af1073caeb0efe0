// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64 with AMX: matrix products of bf16 in tiles of 16 × 16 sums. The other kernels are those
// of AVX-512.
//
// A block of 32 × 32 sums takes four of the eight tile registers, two tiles of x and two of the weights the
// rest. Both are packed so that a tile is one kilobyte in a row. A panel of weights is taken in pieces of
// kChunk steps: a piece stays in the first-level cache while four blocks of rows pass it, so that only x
// comes from further away. The sums of a finished panel wait; while the tile unit works on the next one, the
// vector units add bias, take GELU and write them out, a few vectors between two products.
#define CALFVO_ISA isa_amx
#include "backend/cpu/kernels_impl.h"

namespace calfvo {
namespace isa_amx {
namespace {

constexpr int64_t kTile = 16;   // rows, and columns, of a tile of sums
constexpr int64_t kDepth = 32;  // elements along `in` that one product takes
constexpr int64_t kBlock = 2 * kTile;
constexpr int64_t kTileElements = kTile * kDepth;  // of a tile of x or weights
constexpr int64_t kTaskBlocks = 4;                 // of rows, that pass a panel together
constexpr int64_t kAmxTaskRows = kTaskBlocks * kBlock;
constexpr int64_t kChunk = 8;  // steps along `in`

int64_t DepthSteps(int64_t in) {
  return (in + kDepth - 1) / kDepth;
}

size_t AmxPanelSize(int64_t in) {
  return static_cast<size_t>(DepthSteps(in) * 2 * kTileElements) * sizeof(BFloat16);
}

size_t AmxPackedSize(int64_t out, int64_t in) {
  return static_cast<size_t>(RoundUp(out, kBlock) / kBlock) * AmxPanelSize(in);
}

// Panel of 32 columns: for each step along `in`, two tiles of [16 pairs of rows][16 columns][2].
void AmxPack(const float* weight, int64_t out, int64_t in, void* packed) {
  auto* to = static_cast<BFloat16*>(packed);
  for (int64_t panel = 0; panel < out; panel += kBlock) {
    for (int64_t k = 0; k < DepthSteps(in) * kDepth; k += kDepth) {
      for (int64_t first = panel; first < panel + kBlock; first += kTile) {
        for (int64_t pair = k; pair < k + kDepth; pair += 2) {
          for (int64_t column = first; column < first + kTile; ++column) {
            for (int64_t row = pair; row < pair + 2; ++row) {
              const bool inside = column < out && row < in;
              *to = ToElement(inside ? weight[column * in + row] : 0.0F, to);
              ++to;
            }
          }
        }
      }
    }
  }
}

size_t AmxPackSpace(int64_t in) {
  const auto rows = static_cast<size_t>(kAmxTaskRows * DepthSteps(in) * kDepth) * sizeof(BFloat16);
  return rows + 2 * static_cast<size_t>(kTaskBlocks * kBlock * kBlock) * sizeof(float);
}

// 32 rows: for each step along `in`, two tiles of [16 rows][32].
void PackBlockRows(const BFloat16* x, int64_t rows, int64_t in, BFloat16* to) {
  const int64_t steps = DepthSteps(in);
  for (int64_t row = 0; row < kBlock; ++row) {
    BFloat16* at = to + (row / kTile) * kTileElements + (row % kTile) * kDepth;
    for (int64_t step = 0; step < steps; ++step, at += 2 * kTileElements) {
      const int64_t left = row < rows ? in - step * kDepth : 0;
      if (left >= kDepth) {
        __builtin_memcpy(static_cast<void*>(at), x + row * in + step * kDepth, kDepth * sizeof(BFloat16));
        continue;
      }
      for (int64_t k = 0; k < kDepth; ++k) at[k] = k < left ? x[row * in + step * kDepth + k] : BFloat16{};
    }
  }
}

// The finished sums of some blocks of rows and one panel, [blocks][32][32], that wait to be written out.
class PendingSums {
 public:
  void Set(const float* sums, int64_t row, int64_t rows, int64_t column) {
    sums_ = sums;
    row_ = row;
    column_ = column;
    next_ = 0;
    end_ = 2 * rows;
  }

  // The next `count` vectors, or as many as are left; two make a row.
  template <Epilogue epilogue>
  void Write(const LinearTask& task, int64_t count) {
    const int64_t last = next_ + count < end_ ? next_ + count : end_;
    for (; next_ < last; ++next_) {
      StoreSums<BFloat16, epilogue>(task, Load(sums_ + next_ * kLanes), row_ + next_ / 2,
                                    column_ + next_ % 2 * kLanes);
    }
  }
  template <Epilogue epilogue>
  void WriteAll(const LinearTask& task) {
    Write<epilogue>(task, end_);
  }

 private:
  const float* sums_ = nullptr;
  int64_t row_ = 0;
  int64_t column_ = 0;
  int64_t next_ = 0;
  int64_t end_ = 0;
};

void ConfigureTiles() {
  alignas(64) uint8_t config[64] = {1};  // palette 1
  for (int tile = 0; tile < 8; ++tile) {
    config[16 + 2 * tile] = 64;  // bytes per row
    config[48 + tile] = kTile;   // rows
  }
  _tile_loadconfig(config);
}

// sums [32][32] = rows · panel over `steps` steps, added to what is there if `accumulate`. Meanwhile some of
// `pending` goes out.
template <Epilogue epilogue>
inline void MultiplyBlock(const BFloat16* rows, const BFloat16* panel, int64_t steps, bool accumulate,
                          float* sums, const LinearTask& task, PendingSums& pending,
                          int64_t vectors_per_step) {
  constexpr int64_t kRowBytes = kBlock * sizeof(float);
  if (accumulate) {
    _tile_loadd(0, sums, kRowBytes);
    _tile_loadd(1, sums + kTile, kRowBytes);
    _tile_loadd(2, sums + kTile * kBlock, kRowBytes);
    _tile_loadd(3, sums + kTile * kBlock + kTile, kRowBytes);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int64_t k = 0; k < steps; ++k) {
    _tile_loadd(4, rows, 64);
    _tile_loadd(6, panel, 64);
    _tile_loadd(7, panel + kTileElements, 64);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(5, rows + kTileElements, 64);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    rows += 2 * kTileElements;
    panel += 2 * kTileElements;
    pending.Write<epilogue>(task, vectors_per_step);
  }
  _tile_stored(0, sums, kRowBytes);
  _tile_stored(1, sums + kTile, kRowBytes);
  _tile_stored(2, sums + kTile * kBlock, kRowBytes);
  _tile_stored(3, sums + kTile * kBlock + kTile, kRowBytes);
}

template <Epilogue epilogue>
void AmxLinearWith(const LinearTask& task) {
  const int64_t steps = DepthSteps(task.in);
  const int64_t block_elements = kBlock * steps * kDepth;
  const int64_t vectors_per_step = (2 * kBlock + steps - 1) / steps;
  auto* packed_rows = static_cast<BFloat16*>(task.pack_space);
  auto* sums = reinterpret_cast<float*>(packed_rows + kAmxTaskRows * steps * kDepth);
  ConfigureTiles();
  PendingSums pending;
  int64_t turn = 0;
  for (int64_t first = 0; first < task.rows; first += kAmxTaskRows) {
    const int64_t rows = task.rows - first < kAmxTaskRows ? task.rows - first : kAmxTaskRows;
    const auto* x = static_cast<const BFloat16*>(task.x) + first * task.in;
    for (int64_t row = 0; row < rows; row += kBlock) {
      PackBlockRows(x + row * task.in, rows - row, task.in, packed_rows + row / kBlock * block_elements);
    }
    const auto* panel = static_cast<const BFloat16*>(task.packed);
    for (int64_t column = 0; column < task.out; column += kBlock, panel += steps * 2 * kTileElements) {
      float* panel_sums = sums + turn * kTaskBlocks * kBlock * kBlock;
      turn = 1 - turn;
      for (int64_t k = 0; k < steps; k += kChunk) {
        const int64_t chunk = steps - k < kChunk ? steps - k : kChunk;
        const int64_t offset = k * 2 * kTileElements;
        for (int64_t block = 0; block * kBlock < rows; ++block) {
          MultiplyBlock<epilogue>(packed_rows + block * block_elements + offset, panel + offset, chunk, k > 0,
                                  panel_sums + block * kBlock * kBlock, task, pending, vectors_per_step);
        }
      }
      pending.WriteAll<epilogue>(task);
      pending.Set(panel_sums, first, rows, column);
    }
  }
  pending.WriteAll<epilogue>(task);
  _tile_release();
}

void AmxLinear(const LinearTask& task) {
  WithEpilogue(task.epilogue, [&]<Epilogue epilogue>() { AmxLinearWith<epilogue>(task); });
}

// The tile unit's own rate: products of tiles that stay in registers. Not of zeros, which may run faster.
double AmxBareFlop(int64_t steps) {
  alignas(64) BFloat16 elements[kTileElements];
  for (int64_t i = 0; i < kTileElements; ++i)
    elements[i] = ToElement(static_cast<float>(i % 7 - 3) * 0.1F, elements);
  ConfigureTiles();
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
  kernels.panel = kBlock;
  kernels.row_tile = kAmxTaskRows;
  kernels.packed_size = AmxPackedSize;
  kernels.pack = AmxPack;
  kernels.panel_size = AmxPanelSize;
  kernels.pack_space = AmxPackSpace;
  kernels.linear = AmxLinear;
  kernels.bare_flop = AmxBareFlop;
  return kernels;
}

}  // namespace isa_amx

extern const CpuKernels kAmxKernels;
const CpuKernels kAmxKernels = isa_amx::AmxKernels();

}  // namespace calfvo
