// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64 with AMX: matrix products of bf16 in tiles of 16 × 16 sums. Layer norm and temporal
// attention are those of AVX-512.
//
// A block of 32 × 48 sums takes six of the eight tile registers and runs along all of `in`, or along
// kMostDepth of it where results are added to the stream anyway: sums that leave the registers and come back
// cost more than anything else but rows that do not fit the cache. One register holds a tile of x, one a tile
// of weights, in an order that changes one of them at a time. Of both a tile is one kilobyte in a row, and
// they lie in the second-level cache: the rows of a task while all panels pass, a panel while all blocks of
// rows do. Activations that only one product reads are written in tiles by whoever makes them
// (ActivationLayout), which also keeps what is written close together; others are packed before they are
// multiplied. Weights are loaded with the hint that they will not be wanted soon, so that x stays in the
// first level for its second use. The next panel is fetched meanwhile, a few lines at each step, so that the
// third level is read evenly. The sums of a finished block wait; while the tile unit works on the next one,
// the vector units add bias, take GELU and write them out, a vector after every second product: all of a
// step's vectors in one place would keep the next tiles waiting. Fetching the places of results ahead did not
// pay: it takes the buffers that tiles come through.
#define CALFVO_ISA isa_amx
#include "backend/cpu/kernels_impl.h"

namespace calfvo {
namespace isa_amx {
namespace {

constexpr int64_t kTile = ActivationLayout::kTileRows;          // rows, and columns, of a tile of sums
constexpr int64_t kDepth = ActivationLayout::kTileColumns;      // elements along `in` that one product takes
constexpr int64_t kBlock = 2 * kTile;                           // rows of a block of sums
constexpr int64_t kPanelColumns = 3 * kTile;                    // its columns
constexpr int64_t kTileElements = kTile * kDepth;               // of a tile of x or weights
constexpr int64_t kMostDepth = ActivationLayout::kPartColumns;  // where results are added up

int64_t DepthSteps(int64_t in) {
  return (in + kDepth - 1) / kDepth;
}

int64_t AtMostDepth(int64_t in) {
  return in < kMostDepth ? in : kMostDepth;
}

// Rows that pass a panel together: the more, the less often the weights are read, as long as rows and panel
// stay in a second-level cache of two megabytes.
int64_t RowsAtOnce(int64_t depth) {
  constexpr int64_t kMost = 13;  // blocks
  constexpr int64_t kMostBytes = int64_t{3} << 19;
  const int64_t fitting =
      kMostBytes / (2 * kTileElements * DepthSteps(depth) * static_cast<int64_t>(sizeof(BFloat16)));
  return (fitting < 1 ? 1 : fitting < kMost ? fitting : kMost) * kBlock;
}

int64_t AmxTaskRows(int64_t in) {
  return RowsAtOnce(AtMostDepth(in));
}

size_t AmxPanelSize(int64_t in) {
  return static_cast<size_t>(DepthSteps(in) * 3 * kTileElements) * sizeof(BFloat16);
}

size_t AmxPackedSize(int64_t out, int64_t in) {
  return static_cast<size_t>(RoundUp(out, kPanelColumns) / kPanelColumns) * AmxPanelSize(in);
}

// Panel of 48 columns: for each step along `in`, three tiles of [16 pairs of rows][16 columns][2].
void AmxPack(const float* weight, int64_t out, int64_t in, void* packed) {
  auto* to = static_cast<BFloat16*>(packed);
  for (int64_t panel = 0; panel < out; panel += kPanelColumns) {
    for (int64_t k = 0; k < DepthSteps(in) * kDepth; k += kDepth) {
      for (int64_t first = panel; first < panel + kPanelColumns; first += kTile) {
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

// Of the rows that are packed at once.
size_t PackedRowBytes(int64_t depth) {
  return static_cast<size_t>(RowsAtOnce(depth) * DepthSteps(depth) * kDepth) * sizeof(BFloat16);
}

// A task's space begins with two blocks of sums; the packed rows follow.
constexpr int64_t kSums = 2 * kBlock * kPanelColumns;

size_t AmxPackSpace(int64_t in) {
  const size_t whole = PackedRowBytes(in);
  const size_t part = PackedRowBytes(AtMostDepth(in));
  return static_cast<size_t>(kSums) * sizeof(float) + (whole > part ? whole : part);
}

// 16 rows, of which `rows` are there, from column `first` on: for each step along `depth`, a tile of [16
// rows][32]. Step by step, so that it is written in order: rows may be a power of two apart, and of those the
// first level holds few at a time.
void PackGroup(const BFloat16* x, const ActivationLayout& layout, int64_t rows, int64_t first, int64_t depth,
               BFloat16* to) {
  constexpr int64_t kAhead = 4;  // steps
  for (int64_t k = 0; k < depth; k += kDepth) {
    const BFloat16* step = x + layout.ColumnOffset(first + k);
    for (int64_t row = 0; row < kTile; ++row, to += kDepth) {
      const BFloat16* from = step + layout.RowOffset(row);
      const int64_t left = row < rows ? depth - k : 0;
      if (left >= kDepth) {
        __builtin_prefetch(from + kAhead * kDepth);
        __builtin_memcpy(static_cast<void*>(to), from, kDepth * sizeof(BFloat16));
        continue;
      }
      for (int64_t i = 0; i < kDepth; ++i) to[i] = i < left ? from[i] : BFloat16{};
    }
  }
}

// The compiler moves no loads or stores across this: not those that tile loads, of which GCC does not know
// that they read memory, wait for, and not the vectors' work from between products.
inline void KeepPlace() {
  asm volatile("" : : : "memory");
}

// What the vector units do while the tile unit multiplies.
class Meanwhile {
 public:
  // The finished sums, [rows][48], of `rows` rows from `row` on and the panel at `column`, that wait to be
  // written out.
  void SetSums(const float* sums, int64_t row, int64_t rows, int64_t column) {
    sums_ = sums;
    next_row_ = row;
    end_row_ = row + rows;
    column_ = column;
  }
  // Weights that will be needed.
  void SetAhead(const std::byte* weights) { ahead_ = weights; }

  // A third of a step's work: that much of `rows` waiting rows, and of the `lines` to fetch. The parts 0, 1
  // and 2 take turns.
  template <Epilogue epilogue, int part>
  void DoPart(const LinearTask& task, int64_t rows, int64_t lines) {
    static_assert(kPanelColumns == 3 * kLanes);
    KeepPlace();
    for (int64_t i = part * lines / 3; i < (part + 1) * lines / 3; ++i, ahead_ += 64)
      __builtin_prefetch(ahead_, 0, 2);
    const int64_t waiting = end_row_ - next_row_;
    const int64_t count = rows < waiting ? rows : waiting;
    const int64_t column = column_ + part * kLanes;
    const int64_t column_offset = task.y_layout.ColumnOffset(task.y_column + column);
    for (int64_t i = 0; i < count; ++i) {
      const Vec sums = Load(sums_ + i * kPanelColumns + part * kLanes);
      StoreSums<BFloat16, epilogue>(task, sums, column,
                                    task.y_layout.RowOffset(next_row_ + i) + column_offset);
    }
    if constexpr (part == 2) {
      next_row_ += count;
      sums_ += count * kPanelColumns;
    }
    KeepPlace();
  }
  template <Epilogue epilogue>
  void WriteAll(const LinearTask& task) {
    while (next_row_ < end_row_) {
      DoPart<epilogue, 0>(task, 1, 0);
      DoPart<epilogue, 1>(task, 1, 0);
      DoPart<epilogue, 2>(task, 1, 0);
    }
  }

 private:
  const float* sums_ = nullptr;
  int64_t column_ = 0;
  int64_t next_row_ = 0;
  int64_t end_row_ = 0;
  const std::byte* ahead_ = nullptr;
};

void ConfigureTiles() {
  alignas(64) uint8_t config[64] = {1};  // palette 1
  for (int tile = 0; tile < 8; ++tile) {
    config[16 + 2 * tile] = 64;  // bytes per row
    config[48 + tile] = kTile;   // rows
  }
  KeepPlace();
  _tile_loadconfig(config);
}

// sums [32][48] = rows · panel; of the panel's three tiles of columns the first `tiles`. `upper` and `lower`
// are the tiles of the first and the last 16 rows. At each step some rows of waiting sums go out and some
// lines of weights are fetched.
template <int tiles, Epilogue epilogue>
inline void MultiplyBlock(const BFloat16* upper, const BFloat16* lower, const BFloat16* panel, int64_t steps,
                          float* sums, const LinearTask& task, Meanwhile& meanwhile, int64_t rows_per_step,
                          int64_t lines_per_step) {
  constexpr int64_t kRowBytes = kPanelColumns * sizeof(float);
  float* lower_sums = sums + kTile * kPanelColumns;
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  for (int64_t k = 0; k < steps; ++k) {
    _tile_loadd(6, upper, 64);
    _tile_stream_loadd(7, panel, 64);
    _tile_dpbf16ps(0, 6, 7);
    meanwhile.DoPart<epilogue, 0>(task, rows_per_step, lines_per_step);
    _tile_loadd(6, lower, 64);
    _tile_dpbf16ps(3, 6, 7);
    if constexpr (tiles > 1) {
      _tile_stream_loadd(7, panel + kTileElements, 64);
      _tile_dpbf16ps(4, 6, 7);
    }
    meanwhile.DoPart<epilogue, 1>(task, rows_per_step, lines_per_step);
    if constexpr (tiles > 1) {
      _tile_loadd(6, upper, 64);
      _tile_dpbf16ps(1, 6, 7);
    }
    if constexpr (tiles > 2) {
      _tile_stream_loadd(7, panel + 2 * kTileElements, 64);
      _tile_dpbf16ps(2, 6, 7);
    }
    meanwhile.DoPart<epilogue, 2>(task, rows_per_step, lines_per_step);
    if constexpr (tiles > 2) {
      _tile_loadd(6, lower, 64);
      _tile_dpbf16ps(5, 6, 7);
    }
    upper += kTileElements;
    lower += kTileElements;
    panel += 3 * kTileElements;
  }
  _tile_stored(0, sums, kRowBytes);
  _tile_stored(1, sums + kTile, kRowBytes);
  _tile_stored(2, sums + 2 * kTile, kRowBytes);
  _tile_stored(3, lower_sums, kRowBytes);
  _tile_stored(4, lower_sums + kTile, kRowBytes);
  _tile_stored(5, lower_sums + 2 * kTile, kRowBytes);
}

// The elements of `in` from `first` on, `depth` of them, which are whole steps but at the end.
template <Epilogue epilogue>
void AmxLinearPart(const LinearTask& task, int64_t first, int64_t depth) {
  const int64_t steps = DepthSteps(depth);
  auto* sums = static_cast<float*>(task.pack_space);
  // Tiles of the same 16 rows are side by side; those of the next 16 are group_elements further.
  const auto* x = static_cast<const BFloat16*>(task.x);
  const BFloat16* tiles = x + task.x_layout.ColumnOffset(first);
  int64_t group_elements = kTile * task.x_layout.row_size();
  if (!task.x_layout.tiled || depth > kMostDepth) {
    auto* packed_rows = reinterpret_cast<BFloat16*>(sums + kSums);
    tiles = packed_rows;
    group_elements = steps * kTileElements;
    for (int64_t row = 0; row < task.rows; row += kTile, packed_rows += group_elements) {
      PackGroup(x + task.x_layout.RowOffset(row), task.x_layout, task.rows - row, first, depth, packed_rows);
    }
  }

  ConfigureTiles();
  Meanwhile meanwhile;
  const int64_t blocks = (task.rows + kBlock - 1) / kBlock;
  const int64_t rows_per_step = (kBlock + steps - 1) / steps;
  constexpr int64_t kStepLines = 3 * kTileElements * sizeof(BFloat16) / 64;
  const int64_t lines_per_step = (kStepLines + blocks - 1) / blocks;
  const int64_t panel_elements = DepthSteps(task.in) * 3 * kTileElements;
  const auto* panel = static_cast<const BFloat16*>(task.packed) + first / kDepth * 3 * kTileElements;
  int64_t turn = 0;
  for (int64_t column = 0; column < task.out; column += kPanelColumns, panel += panel_elements) {
    meanwhile.SetAhead(reinterpret_cast<const std::byte*>(panel + panel_elements));
    const int64_t columns = task.out - column;
    for (int64_t row = 0; row < task.rows; row += kBlock) {
      // Where no more than 16 rows are left, the sums of the lower ones are not read.
      const int64_t left = task.rows - row;
      const BFloat16* upper = tiles + row / kTile * group_elements;
      const BFloat16* lower = left > kTile ? upper + group_elements : upper;
      float* block_sums = sums + turn * kBlock * kPanelColumns;
      turn = 1 - turn;
      const auto multiply = [&]<int column_tiles>() {
        MultiplyBlock<column_tiles, epilogue>(upper, lower, panel, steps, block_sums, task, meanwhile,
                                              rows_per_step, lines_per_step);
      };
      if (columns > 2 * kTile) {
        multiply.template operator()<3>();
      } else if (columns > kTile) {
        multiply.template operator()<2>();
      } else {
        multiply.template operator()<1>();
      }
      meanwhile.WriteAll<epilogue>(task);
      meanwhile.SetSums(block_sums, row, left < kBlock ? left : kBlock, column);
    }
  }
  meanwhile.WriteAll<epilogue>(task);
  _tile_release();
}

void AmxLinear(const LinearTask& whole) {
  const bool adds = whole.epilogue == Epilogue::kStream || whole.epilogue == Epilogue::kAddStream;
  const int64_t depth = adds ? AtMostDepth(whole.in) : whole.in;
  const int64_t rows = RowsAtOnce(depth);
  for (int64_t row = 0; row < whole.rows; row += rows) {
    LinearTask task = whole;
    task.rows = whole.rows - row < rows ? whole.rows - row : rows;
    task.x = static_cast<const BFloat16*>(whole.x) + whole.x_layout.RowOffset(row);
    task.y = static_cast<std::byte*>(whole.y) +
             whole.y_layout.RowOffset(row) * (adds ? sizeof(float) : sizeof(BFloat16));
    for (int64_t first = 0; first < whole.in; first += depth) {
      const int64_t left = whole.in - first;
      WithEpilogue(task.epilogue, [&]<Epilogue epilogue>() {
        AmxLinearPart<epilogue>(task, first, left < depth ? left : depth);
      });
      task.epilogue = Epilogue::kAddStream;
      task.bias = nullptr;
    }
  }
}

// The tile unit's own rate: products of tiles that stay in registers. Not of zeros, which may run faster.
double AmxBareFlop(int64_t steps) {
  alignas(64) BFloat16 elements[kTileElements];
  for (int64_t i = 0; i < kTileElements; ++i)
    elements[i] = ToElement(static_cast<float>(i % 7 - 3) * 0.1F, elements);
  ConfigureTiles();
  KeepPlace();
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

#include "backend/cpu/amx_attention.h"

}  // namespace

constexpr CpuKernels AmxKernels() {
  CpuKernels kernels = MakeKernels<Bf16Product, /*tiled=*/true>("AMX", true);
  kernels.panel = kPanelColumns;
  kernels.row_tile = kBlock;
  kernels.task_rows = AmxTaskRows;
  kernels.packed_size = AmxPackedSize;
  kernels.pack = AmxPack;
  kernels.panel_size = AmxPanelSize;
  kernels.pack_space = AmxPackSpace;
  kernels.linear = AmxLinear;
  kernels.attention_space = AmxAttentionSpace;
  kernels.attention = AmxAttention;
  kernels.bare_flop = AmxBareFlop;
  return kernels;
}

}  // namespace isa_amx

extern const CpuKernels kAmxKernels;
const CpuKernels kAmxKernels = isa_amx::AmxKernels();

}  // namespace calfvo
