// SPDX-License-Identifier: Apache-2.0
// A warp reads 256 neighbouring columns of a row, eight per lane, and the block's warps take rows in turn.
// Each block leaves one row of partial sums.
#include <algorithm>

#include "network/cuda_kernels.h"
#include "network/cuda_launch.h"
#include "network/cuda_vector.h"
#include "network/gelu_one.h"
#include "network/partial_sums.h"

namespace calfvo::train {
namespace {

constexpr int kWarps = 8;
constexpr int kTile = 32 * kVector;  // columns of a block
constexpr int kRowsAtOnce = 4;       // of a warp: so many loads are under way

// What is summed: the tensor itself,
template <typename T>
struct Plain {
  const T* x;

  __device__ Vector Take(int64_t at) const { return Load8(x + at); }
};

// or a gradient through GELU, which is also stored.
template <typename T>
struct ThroughGelu {
  const T* x;
  const T* of_out;
  T* of_x;

  __device__ Vector Take(int64_t at) const {
    const Vector z = Load8(x + at);
    Vector d = Load8(of_out + at);
#pragma unroll
    for (int e = 0; e < kVector; ++e) d.v[e] *= GeluDerivative(z.v[e]);
    Store8(of_x + at, d);
    return d;
  }
};

template <typename Source>
__global__ void __launch_bounds__(32 * kWarps) Sum(RowShape shape, Source source, float* partial) {
  __shared__ float shared[kWarps][kTile];
  const int column = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x) * kVector;
  Vector total = {};
  if (column < shape.channels) {
    const int64_t step = int64_t{gridDim.y} * kWarps;
    int64_t row = int64_t{blockIdx.y} * kWarps + threadIdx.y;
    for (; row + (kRowsAtOnce - 1) * step < shape.rows; row += kRowsAtOnce * step) {
      Vector values[kRowsAtOnce];
#pragma unroll
      for (int i = 0; i < kRowsAtOnce; ++i) {
        values[i] = source.Take((row + i * step) * shape.channels + column);
      }
#pragma unroll
      for (int i = 0; i < kRowsAtOnce; ++i) AddScaled(total, 1.0F, values[i]);
    }
    for (; row < shape.rows; row += step) AddScaled(total, 1.0F, source.Take(row * shape.channels + column));
  }
#pragma unroll
  for (int e = 0; e < kVector; ++e) shared[threadIdx.y][threadIdx.x * kVector + e] = total.v[e];
  __syncthreads();
  const int mine = static_cast<int>(threadIdx.y * 32 + threadIdx.x);  // a thread per column of the tile
  const int out = static_cast<int>(blockIdx.x) * kTile + mine;
  if (out >= shape.channels) return;
  float sum = 0.0F;
  for (int warp = 0; warp < kWarps; ++warp) sum += shared[warp][mine];
  partial[int64_t{blockIdx.y} * shape.channels + out] = sum;
}
static_assert(kTile == 32 * kWarps);

template <typename Source>
void Launch(const RowShape& shape, const Source& source, float* partial, float* sums, CudaStream stream) {
  const int tiles = (shape.channels + kTile - 1) / kTile;
  const int64_t useful = (shape.rows + kWarps - 1) / kWarps;
  const auto blocks = static_cast<int>(
      std::clamp<int64_t>(useful, 1, std::max(1, kColumnSumBlocks / tiles)));  // no rows: sums of zero
  Sum<<<dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(blocks)), dim3(32, kWarps), 0, stream>>>(
      shape, source, partial);
  SumPartials(blocks, shape.channels, partial, sums, stream);
  CheckLaunch("column sums");
}

constexpr int kPartialColumns = 32;
constexpr int kPartialRows = 32;

__global__ void AddPartials(int blocks, int columns, const float* __restrict__ partial,
                            float* __restrict__ out) {
  __shared__ float shared[kPartialRows][kPartialColumns + 1];
  const int column = static_cast<int>(blockIdx.x * kPartialColumns + threadIdx.x);
  float total = 0.0F;
  if (column < columns) {
#pragma unroll 8
    for (int block = static_cast<int>(threadIdx.y); block < blocks; block += kPartialRows) {
      total += partial[int64_t{block} * columns + column];
    }
  }
  shared[threadIdx.y][threadIdx.x] = total;
  __syncthreads();
  if (threadIdx.y != 0 || column >= columns) return;
  for (int i = 1; i < kPartialRows; ++i) total += shared[i][threadIdx.x];
  out[column] = total;
}

}  // namespace

void SumPartials(int blocks, int columns, const float* partial, float* out, CudaStream stream) {
  const auto tiles = static_cast<unsigned>((columns + kPartialColumns - 1) / kPartialColumns);
  AddPartials<<<tiles, dim3(kPartialColumns, kPartialRows), 0, stream>>>(blocks, columns, partial, out);
}

void ColumnSums(const RowShape& shape, Element element, const void* x, float* partial, float* sums,
                CudaStream stream) {
  WithElement(element, [&]<typename T>() {
    Launch(shape, Plain<T>{static_cast<const T*>(x)}, partial, sums, stream);
  });
}

void GeluBackward(const RowShape& shape, Element element, const void* x, const void* of_out, void* of_x,
                  float* partial, float* sums, CudaStream stream) {
  WithElement(element, [&]<typename T>() {
    Launch(shape,
           ThroughGelu<T>{static_cast<const T*>(x), static_cast<const T*>(of_out), static_cast<T*>(of_x)},
           partial, sums, stream);
  });
}

}  // namespace calfvo::train
