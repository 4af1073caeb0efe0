// SPDX-License-Identifier: Apache-2.0
// The backend's own kernels, launched. All pointers are of the GPU, matrices row-major without padding; the
// stream of activations is StreamElement, activations are bf16 or, for one reader, fp8.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/portable/resample.h"

namespace calfvo::cuda {

// An output in bf16, or in fp8 if `inverse_scale` (in GPU memory) is not null.
struct Output {
  void* data = nullptr;
  const float* inverse_scale = nullptr;
  bool is_fp8() const { return inverse_scale != nullptr; }
};

struct NormArguments {
  const void* x = nullptr;  // stream
  int64_t rows = 0;
  int cols = 0;
  const float* gain = nullptr;
  const float* bias = nullptr;
  float epsilon = 0.0F;
  bool gelu = false;
  Output out;
};
void LayerNorm(const NormArguments& arguments, cudaStream_t stream);

struct SpatialArguments {
  const void* qkv = nullptr;  // bf16 [batch · length, 3 · heads · head_size]
  int64_t batch = 0;
  int length = 0;
  int heads = 0;
  int head_size = 0;
  const float* rope_cos = nullptr;  // null: no rotation
  const float* rope_sin = nullptr;
  int rope_skip = 0;
  int rope_group = 0;
  Output out;
};
void SpatialAttention(const SpatialArguments& arguments, cudaStream_t stream);

struct TemporalArguments {
  const void* qkv = nullptr;  // bf16 [windows, frames, 1 + tokens, 3 · heads · head_size]
  int64_t windows = 0;
  int frames = 0;
  int tokens = 0;
  int heads = 0;
  int head_size = 0;
  Output out;
};
void TemporalAttention(const TemporalArguments& arguments, cudaStream_t stream);

// Between types.
void FloatsToStream(const float* from, int64_t count, void* to, cudaStream_t stream);
void StreamToFloats(const void* from, int64_t count, float* to, cudaStream_t stream);
void FloatsToActivation(const float* from, int64_t count, void* to, cudaStream_t stream);
void ActivationToFloats(const void* from, int64_t count, float* to, cudaStream_t stream);
void StreamToActivation(const void* from, int64_t count, void* to, cudaStream_t stream);
void ActivationToStream(const void* from, int64_t count, void* to, cudaStream_t stream);

// out [rows, axis.size, 3] = `rows` RGB rows of `in`, `row_bytes` each, resampled along x. The axis' arrays
// are of the GPU, too.
void ResampleRows(const portable::ResampleAxis& axis, const uint8_t* in, int64_t rows, int64_t row_bytes,
                  uint8_t* out, cudaStream_t stream);
// out [3, axis.size, width] = the RGB columns of `in`, rows of `width` pixels, resampled along y, then mapped
// by `normalised` [3, 256], the value of each byte of each channel.
void ResampleColumns(const portable::ResampleAxis& axis, const uint8_t* in, int width,
                     const float* normalised, float* out, cudaStream_t stream);

void Patchify(const float* images, int64_t count, int size, int patch, void* out, cudaStream_t stream);
void StackPairs(const float* images, int64_t count, int size, void* out, cudaStream_t stream);
void Neighbourhoods(const void* maps, int64_t count, int height, int width, int channels, int stride,
                    void* out, cudaStream_t stream);

// out [prefix_rows + tokens, dim]; `positions` may be null.
void AddPrefix(const void* patches, int64_t tokens, int dim, const float* prefix, int64_t prefix_rows,
               const float* positions, void* out, cudaStream_t stream);

inline constexpr int kMostFrames = 16;  // of a window in one launch
struct AssembleArguments {
  const void* frames[kMostFrames] = {};  // bf16 [tokens, dim] each
  int first_frame = 0;                   // of those in the window
  int count = 0;
  int tokens = 0;
  int dim = 0;
  const float* camera = nullptr;
  const float* positions = nullptr;
  const float* times = nullptr;
  void* out = nullptr;  // stream: rows of the window
  bool camera_per_frame = true;
};
void AssembleFrames(const AssembleArguments& arguments, cudaStream_t stream);

// Means over `count` rows `step` apart: part p of group g begins at row g · group_step + p · part_step +
// first, and its mean is row g · out_step + p + out_first of `out`.
struct MeanArguments {
  const void* x = nullptr;  // stream
  int dim = 0;
  int64_t groups = 0, group_step = 0;
  int64_t parts = 1, part_step = 0;
  int64_t first = 0;
  int64_t count = 0, step = 1;
  float* out = nullptr;
  int64_t out_step = 1, out_first = 0;
};
void MeanRows(const MeanArguments& arguments, cudaStream_t stream);

// y [rows, n] = x [rows, inputs] · weightᵀ [inputs, n] + bias, all f32; for a few rows.
void ProjectFloats(const float* x, int64_t rows, int64_t inputs, const float* weight, const float* bias,
                   int64_t n, float* y, cudaStream_t stream);

// The stream's rows 0, step, 2·step, … to rows 0, 1, 2, … of `to`.
void CopyRows(const void* x, int64_t count, int64_t step, int dim, void* to, cudaStream_t stream);
// Row w of `from` [windows, dim] into rows (w · slots + s) · step of x, s < slots.
void BroadcastRows(const void* from, int64_t windows, int64_t slots, int64_t step, int dim, void* x,
                   cudaStream_t stream);
// Each of those rows = the mean over s.
void MergeRows(void* x, int64_t windows, int64_t slots, int64_t step, int dim, cudaStream_t stream);

// *largest = max(*largest, |x|); not negative numbers compare as their bits do.
void LargestMagnitude(const void* activation, int64_t count, float* largest, cudaStream_t stream);

void ActivationToFp8(const void* from, int64_t count, const float* inverse_scale, void* to,
                     cudaStream_t stream);

// *different += how many of `words` 32-bit words differ.
void CountDifferences(const void* a, const void* b, int64_t words, unsigned long long* different,
                      cudaStream_t stream);

// Whether these kernels can run on this GPU.
cudaError_t CheckKernels();

}  // namespace calfvo::cuda
