// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "nn/backend/cuda/cuda_check.h"
#include "nn/backend/cuda/element.cuh"
#include "nn/backend/cuda/kernels.h"
#include "nn/backend/cuda/stream_element.cuh"

namespace calfvo::cuda {
namespace {

constexpr int kRowsPerBlock = 4;  // one warp each

// Rows of kEights · 256 columns, held in registers. Warps stay for many rows, keep gain and bias, and fetch
// the next row while they work on one.
template <int kEights, typename Out>
__global__ void __launch_bounds__(kRowsPerBlock* kWarp)
    WideNorm(const StreamElement* x, int64_t rows, const float* gain, const float* bias, float epsilon,
             bool gelu, Out* out, const float* inverse_scale) {
  constexpr int kCols = kEights * 256;
  const int64_t step = int64_t{gridDim.x} * kRowsPerBlock;
  int64_t row = int64_t{blockIdx.x} * kRowsPerBlock + threadIdx.x / kWarp;
  if (row >= rows) return;
  const int column = static_cast<int>(threadIdx.x) % kWarp * 8;
  Eight<StreamElement> next[kEights];
  const auto fetch = [&] {
#pragma unroll
    for (int i = 0; i < kEights; ++i) {
      next[i] = *reinterpret_cast<const Eight<StreamElement>*>(x + row * kCols + i * 256 + column);
    }
  };
  fetch();
  float gains[kEights][8], biases[kEights][8];
#pragma unroll
  for (int i = 0; i < kEights; ++i) {
    Load(gain + i * 256 + column, gains[i]);
    Load(bias + i * 256 + column, biases[i]);
  }
  const float scale = ScaleOf(inverse_scale);
  while (row < rows) {
    Out* to = out + row * kCols + column;
    float values[kEights][8];
    float sum = 0.0F;
#pragma unroll
    for (int i = 0; i < kEights; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) sum += values[i][j] = static_cast<float>(next[i].at[j]);
    }
    row += step;
    if (row < rows) fetch();
    const float mean = WarpSum(sum) / kCols;
    float squares = 0.0F;
#pragma unroll
    for (int i = 0; i < kEights; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) squares += (values[i][j] - mean) * (values[i][j] - mean);
    }
    const float factor = rsqrtf(WarpSum(squares) / kCols + epsilon);
#pragma unroll
    for (int i = 0; i < kEights; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const float y = (values[i][j] - mean) * factor * gains[i][j] + biases[i][j];
        values[i][j] = gelu ? Gelu(y) : y;
      }
      Store(values[i], scale, to + i * 256);
    }
  }
}

// Any number of columns.
template <typename Out>
__global__ void __launch_bounds__(kRowsPerBlock* kWarp)
    AnyNorm(const StreamElement* x, int64_t rows, int cols, const float* gain, const float* bias,
            float epsilon, bool gelu, Out* out, const float* inverse_scale) {
  const int64_t row = int64_t{blockIdx.x} * kRowsPerBlock + threadIdx.x / kWarp;
  const int lane = threadIdx.x % kWarp;
  if (row >= rows) return;
  const StreamElement* from = x + row * cols;
  float sum = 0.0F;
  for (int i = lane; i < cols; i += kWarp) sum += static_cast<float>(from[i]);
  const float mean = WarpSum(sum) / static_cast<float>(cols);
  float squares = 0.0F;
  for (int i = lane; i < cols; i += kWarp) {
    const float centred = static_cast<float>(from[i]) - mean;
    squares += centred * centred;
  }
  const float factor = rsqrtf(WarpSum(squares) / static_cast<float>(cols) + epsilon);
  const float scale = ScaleOf(inverse_scale);
  for (int i = lane; i < cols; i += kWarp) {
    const float y = (static_cast<float>(from[i]) - mean) * factor * gain[i] + bias[i];
    out[row * cols + i] = Round<Out>(gelu ? Gelu(y) : y, scale);
  }
}

unsigned Multiprocessors() {
  static const int count = [] {
    int value = 0;
    CheckCuda(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), "asking for its size");
    return value;
  }();
  return static_cast<unsigned>(count);
}

template <typename Out>
void Launch(const NormArguments& a, cudaStream_t stream) {
  const auto* x = static_cast<const StreamElement*>(a.x);
  auto* out = static_cast<Out*>(a.out.data);
  const auto blocks = static_cast<unsigned>((a.rows + kRowsPerBlock - 1) / kRowsPerBlock);
  constexpr int kThreads = kRowsPerBlock * kWarp;
  const auto wide = [&](auto* kernel) {
    kernel<<<std::min(blocks, 3 * Multiprocessors()), kThreads, 0, stream>>>(
        x, a.rows, a.gain, a.bias, a.epsilon, a.gelu, out, a.out.inverse_scale);
  };
  switch (a.cols) {
    case 256:
      return wide(WideNorm<1, Out>);
    case 512:
      return wide(WideNorm<2, Out>);
    case 768:
      return wide(WideNorm<3, Out>);
    case 1024:
      return wide(WideNorm<4, Out>);
    default:
      AnyNorm<Out><<<blocks, kThreads, 0, stream>>>(x, a.rows, a.cols, a.gain, a.bias, a.epsilon, a.gelu, out,
                                                    a.out.inverse_scale);
  }
}

}  // namespace

void LayerNorm(const NormArguments& arguments, cudaStream_t stream) {
  if (arguments.out.is_fp8()) {
    Launch<FP8>(arguments, stream);
  } else {
    Launch<BF16>(arguments, stream);
  }
  CheckLaunch("normalising");
}

}  // namespace calfvo::cuda
