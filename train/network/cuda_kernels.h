// SPDX-License-Identifier: Apache-2.0
// What LibTorch has no fast kernel for. Raw device pointers, aligned to 16 bytes and contiguous, so that nvcc
// sees no LibTorch header. Everything is only queued on the stream; nothing allocates or waits, so calls can
// be captured in a CUDA graph. Same input, same bits. Built only with CALFVO_CUDA.
#pragma once

#include <cstdint>

#include "network/camera_rule.h"

struct CUstream_st;

namespace calfvo::train {

using CudaStream = CUstream_st*;  // a cudaStream_t
enum class Element { kF32, kBF16 };

// qkv [windows, frames, tokens, 3, heads, head_size].
struct TemporalShape {
  int64_t windows = 0;
  int frames = 0;  // 1 to kMaxTemporalFrames
  int64_t tokens = 0;
  int heads = 0;
  int head_size = 0;  // a multiple of 8 from 8 to 64
};
inline constexpr int kMaxTemporalFrames = 16;
inline constexpr int kMaxTemporalHeadSize = 64;

// `out` and `out_gradient` [windows, frames, tokens, heads, head_size]; `qkv_gradient` as qkv. All `element`.
void TemporalAttentionForward(const TemporalShape& shape, Element element, const void* qkv, void* out,
                              CudaStream stream);
void TemporalAttentionBackward(const TemporalShape& shape, Element element, const void* qkv,
                               const void* out_gradient, void* qkv_gradient, CudaStream stream);

struct NormShape {
  int64_t rows = 0;
  int channels = 0;  // a multiple of 8, at most kMaxNormChannels
  CameraRule camera = CameraRule::kNone;
  uint32_t tokens = 1;  // rows of a frame, and frames of a window; with kSkip and kMean, which take fewer
  uint32_t frames = 1;  // than 2³² rows
  bool gelu = false;    // after the norm; then there is neither a branch nor a camera rule
  float eps = 0.0F;
};
inline constexpr int kMaxNormChannels = 1024;

// sum = x + branch + offset; normed = norm(sum) · weight + bias. Without `branch`, `sum` is not written, and
// there is an offset only where GELU follows. The offset belongs to the branch: camera tokens that skip the
// branch skip it too. x, branch, sum and normed [rows, channels] of `element`; the others [channels] f32,
// which need no alignment.
struct NormInputs {
  const void* x = nullptr;
  const void* branch = nullptr;   // may be null
  const float* offset = nullptr;  // may be null
  const float* weight = nullptr;
  const float* bias = nullptr;
};
void NormForward(const NormShape& shape, Element element, const NormInputs& inputs, void* sum, void* normed,
                 CudaStream stream);

struct NormGradients {
  const void* of_normed = nullptr;
  const void* of_other = nullptr;  // of the sum from its other uses or, with GELU, of normed; may be null
  void* of_x = nullptr;
  void* of_branch = nullptr;       // with CameraRule::kSkip only; else it is that of x
  float* of_parameters = nullptr;  // [3, channels]: weight, bias, offset
  float* partial = nullptr;        // [kNormBlocks, 3, channels], room for the kernel
};
inline constexpr int kNormBlocks = 1320;  // at most; large GPUs run fewer at a time
// `inputs.x` is the sum that NormForward wrote, which has the offset in it; where it wrote none, the same
// inputs as there. `inputs.branch` is not looked at.
void NormBackward(const NormShape& shape, Element element, const NormInputs& inputs,
                  const NormGradients& gradients, CudaStream stream);

// Rows of channels that only a bias couples. Channels are a multiple of 8.
struct RowShape {
  int64_t rows = 0;
  int channels = 0;
};
inline constexpr int kColumnSumBlocks = 1056;  // rows of `partial`, at most

// out = gelu(x), [count], a multiple of 8.
void GeluForward(int64_t count, Element element, const void* x, void* out, CudaStream stream);
// sum = x + branch + bias, bias [channels] f32.
void AddBranch(const RowShape& shape, Element element, const void* x, const void* branch, const float* bias,
               void* sum, CudaStream stream);

// sums[c] = Σ x[·, c], accumulated in f32. `partial` [kColumnSumBlocks, channels] is room for the kernel.
void ColumnSums(const RowShape& shape, Element element, const void* x, float* partial, float* sums,
                CudaStream stream);
// of_x = of_out · gelu′(x), and its column sums, which are the gradient of a bias in x.
void GeluBackward(const RowShape& shape, Element element, const void* x, const void* of_out, void* of_x,
                  float* partial, float* sums, CudaStream stream);

// Tokens [windows, frames, tokens, channels] → [windows, frames, 1 + tokens, channels]: a camera token before
// those of each frame, to which embeddings are added.
struct EmbeddingShape {
  int64_t windows = 0;
  int frames = 0;
  int tokens = 0;
  int channels = 0;  // a multiple of 8
};
// f32, without need of alignment.
struct EmbeddingInputs {
  const float* position = nullptr;  // [tokens, channels]
  const float* time = nullptr;      // [frames, channels]
  const float* camera = nullptr;    // [channels]
  const float* aspect = nullptr;    // [channels], times log_aspect [windows]; both may be null
  const float* log_aspect = nullptr;
};
void EmbeddingForward(const EmbeddingShape& shape, Element element, const EmbeddingInputs& inputs,
                      const void* tokens, void* out, CudaStream stream);
// `sums` [kEmbeddingParts, 2, frames, 1 + tokens, channels]: those of `of_out` over a part of the windows
// each, and the same times log_aspect; null, the latter are left as they are.
inline constexpr int kEmbeddingParts = 4;
void EmbeddingBackward(const EmbeddingShape& shape, Element element, const float* log_aspect,
                       const void* of_out, void* of_tokens, float* sums, CudaStream stream);

// Rotary position embedding of q and k. Fewer than 2³² elements in all.
struct RotationShape {
  int64_t sequences = 0;
  int64_t tokens = 0;
  int heads = 0;
  int head_size = 0;  // a multiple of 2·group
  int group = 0;      // a multiple of 8: element e pairs with e + group
};
// qkv [sequences, tokens, 3, heads, head_size] → q and k [sequences, tokens, heads, head_size], turned.
// `cos` and `sin` [tokens, head_size / 2].
void RotateForward(const RotationShape& shape, Element element, const void* qkv, const float* cos,
                   const float* sin, void* q, void* k, CudaStream stream);
// The gradients of q, k and v → that of qkv, turned back, and its column sums, which are the gradient of its
// bias. Without `cos` and `sin` (null) nothing is turned, and the shape's group does not matter. Heads times
// their size are a multiple of 8. `partial` [kColumnSumBlocks, columns] is room for the kernel.
void JoinGradients(const RotationShape& shape, Element element, const void* q, const void* k, const void* v,
                   const float* cos, const float* sin, void* qkv, float* partial, float* sums,
                   CudaStream stream);

// Whether the current device is of compute capability 9.0, which the following need up to the first stage.
bool HasHopperKernels();

// Attention within sequences, of rows that hold queries, keys and values.
struct AttentionShape {
  int64_t sequences = 0;
  int tokens = 0;  // 1 to kMaxAttentionTokens
  int heads = 0;   // of kAttentionHeadSize elements
  int group = 0;   // 16 or 32: elements so far apart are turned as a pair, of queries and keys; 0: none are
};
inline constexpr int kAttentionHeadSize = 64;
inline constexpr int kMaxAttentionTokens = 208;
struct AttentionInputs {
  const void* qkv = nullptr;   // [sequences, tokens, 3, heads, 64] bf16
  const float* cos = nullptr;  // both [tokens, 32], or null with group 0
  const float* sin = nullptr;
  // Of AttentionForward, for the gradient.
  const void* out = nullptr;
  const float* log_sums = nullptr;
};
// `out` [sequences, tokens, heads, 64] bf16. `log_sums` [sequences, heads, tokens]: logarithms to base 2 of
// the sums that softmax divides by.
void AttentionForward(const AttentionShape& shape, const AttentionInputs& inputs, void* out, float* log_sums,
                      CudaStream stream);
struct AttentionGradients {
  const void* of_out = nullptr;
  void* of_qkv = nullptr;
  float* of_bias = nullptr;  // [3, heads, 64]: the column sums of of_qkv
  float* partial = nullptr;  // [sequences, 3, heads, 64], room for the kernel
};
void AttentionBackward(const AttentionShape& shape, const AttentionInputs& inputs,
                       const AttentionGradients& gradients, CudaStream stream);

// A product that goes through GELU: x [rows, 256] · weightsᵀ. All in bf16 but what is said to be f32.
struct GeluProductShape {
  int64_t rows = 0;
  int columns = 0;  // of the product: a multiple of 64, at most kMaxGeluProductColumns
};
inline constexpr int kGeluProductInner = 256;
inline constexpr int kMaxGeluProductColumns = 1536;
inline constexpr int kGeluProductBlocks = 256;
// weights [columns, 256], or [256, columns] if `transposed`, f32 → as many elements of bf16, as the following
// take them.
void PackWeights(int columns, bool transposed, const float* weights, void* packed, CudaStream stream);
// product = x · weightsᵀ + bias, and out = gelu(product).
void GeluProductForward(const GeluProductShape& shape, const void* x, const void* packed, const float* bias,
                        void* product, void* out, CudaStream stream);
// of_product = (of_next · weightsᵀ) · gelu′(product), where of_next [rows, 256] is the gradient of a linear
// layer's result that `out` goes to, and its column sums. `partial` [kGeluProductBlocks, columns] is room for
// the kernel.
void GeluProductBackward(const GeluProductShape& shape, const void* of_next, const void* packed,
                         const void* product, void* of_product, float* partial, float* of_bias,
                         CudaStream stream);

// The first stage of a stem of pairs: images → gelu(norm(convolution of the previous image's colours and
// the image's own)), 3 × 3 in steps of two with a border of zeros.
struct FirstStageShape {
  int64_t windows = 0;
  int frames = 0;
  int height = 0;  // a multiple of 8
  int width = 0;   // a multiple of 32, at most kMaxFirstStageWidth
  float eps = 0.0F;
};
inline constexpr int kFirstStageChannels = 32;
inline constexpr int kMaxFirstStageWidth = 416;
struct FirstStageInputs {
  // [windows, frames, height, width, 3]; strides are in bytes, multiples of 4.
  const uint8_t* frames = nullptr;
  int64_t window_stride = 0;
  // [windows, height, width, 3], which precede the frames; null: frames 0 precede themselves.
  const uint8_t* before = nullptr;
  int64_t before_stride = 0;
  // f32, without need of alignment. Colours are value · scale + shift, [3].
  const float* scale = nullptr;
  const float* shift = nullptr;
  const float* weight = nullptr;  // [32, 6, 3, 3]
  const float* bias = nullptr;    // these [32]
  const float* norm_weight = nullptr;
  const float* norm_bias = nullptr;
};
// `out` [windows, frames, height / 2, width / 2, 32] bf16.
void FirstStageForward(const FirstStageShape& shape, const FirstStageInputs& inputs, void* out,
                       CudaStream stream);
// `gradients` are those of weight, bias, norm_weight and norm_bias, one after the other. `partial`
// [kFirstStageBlocks, kFirstStageGradients] is room for the kernel.
inline constexpr int kFirstStageGradients = kFirstStageChannels * (6 * 3 * 3 + 3);
inline constexpr int kFirstStageBlocks = 528;
void FirstStageBackward(const FirstStageShape& shape, const FirstStageInputs& inputs, const void* of_out,
                        float* partial, float* gradients, CudaStream stream);

}  // namespace calfvo::train
