// SPDX-License-Identifier: Apache-2.0
// The inner loops of the CPU backend. One source, kernels_impl.h, is compiled once per instruction set; the
// backend picks a table of functions at run time. The functions neither allocate nor use threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "nn/backend/matrix_layout.h"

namespace calfvo {

enum class Epilogue {
  kStore,      // activations: x·Wᵀ + b
  kGelu,       // activations: gelu(x·Wᵀ + b)
  kStream,     // residual stream: x·Wᵀ + b
  kAddStream,  // residual stream: += x·Wᵀ + b
};

[[gnu::always_inline]] constexpr bool IsToStream(Epilogue epilogue) {
  return epilogue == Epilogue::kStream || epilogue == Epilogue::kAddStream;
}

// Some rows of x times some panels of packed weights. The first row is a multiple of CpuKernels::row_tile.
struct LinearTask {
  const void* x;  // [rows, in] activations
  MatrixLayout x_layout;
  int64_t rows;
  int64_t rows_after;  // rows after these that this thread most likely multiplies next
  int64_t in;
  const void* packed;  // the first panel
  bool panel_follows;  // another panel follows the last, and this thread most likely multiplies it next
  // From the first panel's columns on, padded to whole panels. Null: none, except with kStream.
  const float* bias;
  int64_t out;  // columns to compute, from the first panel on
  void* y;      // the first row, whole
  MatrixLayout y_layout;
  int64_t y_column;  // of the first panel
  Epilogue epilogue;
  void* pack_space;  // PackSpace(in) bytes, 64-byte aligned
  bool x_is_int8;    // Int8Kernels only: x is in Int8Rows, y becomes so
  bool y_is_int8;    // of all columns of its rows
};

// Attention of one head in one sequence.
struct AttentionTask {
  const void* qkv;  // the whole matrix, in rows or panels
  MatrixLayout qkv_layout;
  void* out;  // the whole matrix
  MatrixLayout out_layout;
  int64_t row;          // of the first token, in both
  int64_t dim;          // q, k and v are `dim` apart
  int64_t length;       // tokens
  int64_t head_offset;  // elements
  int64_t head_size;
  const float* rope_cos;  // [length − rope_skip, head_size/2], or null
  const float* rope_sin;
  int64_t rope_skip;
  int64_t rope_group;
  void* space;  // AttentionSpace(length, head_size) bytes, 64-byte aligned
};

// Attention over the frames of a window at consecutive positions, all heads.
struct TemporalTask {
  const void* qkv;  // the whole matrix, in rows or panels
  MatrixLayout qkv_layout;
  void* out;  // the whole matrix
  MatrixLayout out_layout;
  int64_t row;       // of the first position in the first frame, in both
  int64_t row_step;  // rows from frame to frame
  int64_t positions;
  int64_t dim;  // q, k and v are `dim` apart
  int64_t frames;
  int64_t heads;
  int64_t head_size;
  void* space;  // TemporalSpace(frames, head_size) bytes, 64-byte aligned
};

struct NormTask {
  const float* x;  // the first row
  MatrixLayout x_layout;
  int64_t rows;
  const float* gain;
  const float* bias;
  float epsilon;
  bool gelu;
  void* out;  // the first row, which is a multiple of 16
  MatrixLayout out_layout;
};

struct Int8Part {
  const void* elements;  // null: zeros
  int64_t size;
};

// Products of 8-bit integers: x·Wᵀ = (Σ q·p)·s·t, with x = q·s, a scale s for each row, and W = p·t, a scale
// t for each column of the result. q and p are −127 to 127. The sums are exact, and so the same for all
// kernels. Functions take activations of the element type of the CpuKernels that these belong to, in rows.
struct Int8Kernels {
  int64_t panel;
  int64_t row_tile;
  // The most rows of a LinearTask, whole tiles; `int8_out` is its `out` if the result is in 8 bits, else 0.
  int64_t (*task_rows)(int64_t in, int64_t int8_out);
  // As in CpuKernels. Panels hold the scales of their columns.
  size_t (*packed_size)(int64_t out, int64_t in);
  void (*pack)(const float* weight, int64_t out, int64_t in, void* packed);
  size_t (*panel_size)(int64_t in);
  size_t (*space)(int64_t in, int64_t int8_out);  // bytes of LinearTask::pack_space

  void (*linear)(const LinearTask& task);
  // `out` is the first of Int8Rows; `space` holds a row of floats.
  void (*layer_norm)(const NormTask& task, float* space);
  float (*largest)(const void* x, int64_t count);  // magnitude
  // The `count` parts of a row, whose largest magnitude is `largest`, to one of Int8Rows.
  void (*quantise)(const Int8Part* parts, int64_t count, float largest, uint8_t* row);

  double (*peak_flop)(int64_t steps);  // as in CpuKernels
};

struct CpuKernels {
  std::string_view name;             // "avx512"
  bool bf16;                         // element type of activations
  bool tiled;                        // matrices are in panels and tiles if their width allows it
  int64_t panel;                     // columns per panel of packed weights
  int64_t row_tile;                  // rows that are multiplied at once
  int64_t (*task_rows)(int64_t in);  // the most rows of a LinearTask, whole tiles
  int64_t most_depth;                // largest `in` at which rows in tiles stay cached from task to task

  // Packs weights [out, in] into zero-padded panels of packed_size(out, in) bytes.
  size_t (*packed_size)(int64_t out, int64_t in);
  void (*pack)(const float* weight, int64_t out, int64_t in, void* packed);
  size_t (*panel_size)(int64_t in);
  size_t (*pack_space)(int64_t in);

  void (*linear)(const LinearTask& task);
  void (*layer_norm)(const NormTask& task);
  size_t (*attention_space)(int64_t length, int64_t head_size);
  void (*attention)(const AttentionTask& task);
  size_t (*temporal_space)(int64_t frames, int64_t head_size);
  void (*temporal)(const TemporalTask& task);

  // Multiplies in registers `steps` times and returns the number of floating-point operations: the peak
  // throughput of this instruction set.
  double (*peak_flop)(int64_t steps);

  // Null: linear maps are computed in the element type of activations.
  const Int8Kernels* int8 = nullptr;
};

// The tables that this CPU can run: those without 8-bit integers, then those with them, each fastest first.
// f32 and int8 are always there, bf16 if the CPU multiplies it.
std::vector<const CpuKernels*> SupportedKernels();

}  // namespace calfvo
