// SPDX-License-Identifier: Apache-2.0
// The inner loops of the CPU backend. One source, kernels_impl.h, is compiled once per instruction set; a
// table of functions is chosen at run time. None of them allocates or uses threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "backend/matrix_layout.h"

namespace calfvo {

enum class Epilogue {
  kStore,      // activations: x·Wᵀ + b
  kGelu,       // activations: gelu(x·Wᵀ + b)
  kStream,     // stream: x·Wᵀ + b
  kAddStream,  // stream: += x·Wᵀ + b
};

[[gnu::always_inline]] constexpr bool IsToStream(Epilogue epilogue) {
  return epilogue == Epilogue::kStream || epilogue == Epilogue::kAddStream;
}

// Some rows of x times some panels of packed weights. The first row is a multiple of CpuKernels::row_tile.
struct LinearTask {
  const void* x;  // [rows, in] activations
  MatrixLayout x_layout;
  int64_t rows;
  int64_t rows_after;  // that follow these, and that this thread will most likely multiply next
  int64_t in;
  const void* packed;  // the first panel
  bool panel_follows;  // after the last one, which this thread will most likely want next
  const float*
      bias;     // of the first panel's columns, padded to whole panels; null: none; never null with kStream
  int64_t out;  // columns wanted, from the first panel on
  void* y;      // the first row, whole
  MatrixLayout y_layout;
  int64_t y_column;  // of the first panel
  Epilogue epilogue;
  void* pack_space;  // PackSpace(in) bytes, 64-byte aligned
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

// Attention over the frames of a window at some positions that follow each other, all heads.
struct TemporalTask {
  const void* qkv;  // the whole matrix, in rows or panels
  MatrixLayout qkv_layout;
  void* out;  // the whole matrix
  MatrixLayout out_layout;
  int64_t row;       // of the first position in the first frame, in both
  int64_t row_step;  // from frame to frame
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

struct CpuKernels {
  std::string_view name;             // "avx512"
  bool bf16;                         // element type of activations
  bool tiled;                        // matrices are in panels and tiles, where their width allows
  int64_t panel;                     // columns per panel of packed weights
  int64_t row_tile;                  // rows that are multiplied at once
  int64_t (*task_rows)(int64_t in);  // the most rows of a LinearTask, whole tiles
  int64_t most_depth;                // of `in`, with which rows in tiles stay in the cache from task to task

  // Weights [out, in] → panels, zero-padded. PackedSize says how many bytes.
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

  // Multiplies registers `steps` times over and returns how many products and sums that was: the rate nothing
  // can exceed.
  double (*bare_flop)(int64_t steps);
};

// What this CPU can run, the fastest first: tables for f32 always, for bf16 only where the CPU multiplies it.
std::vector<const CpuKernels*> SupportedKernels();

}  // namespace calfvo
