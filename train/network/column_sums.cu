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

// What is taken and summed, and where it is put. All loads come before the first store, so that they need
// not wait for each other. The tensor itself,
template <typename T>
struct Plain {
  int channels;
  const T* x;

  __device__ Vector Take(int64_t row, int column) const { return Load8(x + row * channels + column); }
  __device__ void Put(int64_t, int, const Vector&) const {}
};

// or a gradient through GELU, which is also stored,
template <typename T>
struct ThroughGelu {
  int channels;
  const T* x;
  const T* of_out;
  T* of_x;

  __device__ Vector Take(int64_t row, int column) const {
    const int64_t at = row * channels + column;
    const Vector z = Load8(x + at);
    Vector d = Load8(of_out + at);
#pragma unroll
    for (int e = 0; e < kVector; ++e) d.v[e] *= GeluDerivative(z.v[e]);
    return d;
  }
  __device__ void Put(int64_t row, int column, const Vector& d) const {
    Store8(of_x + row * channels + column, d);
  }
};

// or gradients of q, k and v side by side, turned back, likewise.
template <typename T>
struct Joined {
  RotationShape shape;
  const T* q;
  const T* k;
  const T* v;
  const float* cos;
  const float* sin;
  T* qkv;

  __device__ Vector Take(int64_t row, int column) const {
    const int dim = shape.heads * shape.head_size;
    const int part = column / dim;
    const int inside = column % dim;
    const T* from = (part == 0 ? q : part == 1 ? k : v) + row * dim + inside;
    Vector d = Load8(from);
    if (cos != nullptr && part < 2) {
      const int place = inside % shape.head_size;
      const bool second = place % (2 * shape.group) >= shape.group;  // of its pair
      const int pair = place / (2 * shape.group) * shape.group + place % shape.group;
      const uint32_t token = static_cast<uint32_t>(row) % static_cast<uint32_t>(shape.tokens);
      const int64_t table = int64_t{token} * (shape.head_size / 2) + pair;
      const Vector other = Load8(from + (second ? -shape.group : shape.group));
      const Vector c = Load8(cos + table);
      const Vector s = Load8(sin + table);
#pragma unroll
      for (int e = 0; e < kVector; ++e) {
        const float turned = other.v[e] * s.v[e];
        d.v[e] = d.v[e] * c.v[e] + (second ? -turned : turned);
      }
    }
    return d;
  }
  __device__ void Put(int64_t row, int column, const Vector& d) const {
    Store8(qkv + row * 3 * shape.heads * shape.head_size + column, d);
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
        values[i] = source.Take(row + i * step, column);
      }
#pragma unroll
      for (int i = 0; i < kRowsAtOnce; ++i) {
        source.Put(row + i * step, column, values[i]);
        AddScaled(total, 1.0F, values[i]);
      }
    }
    for (; row < shape.rows; row += step) {
      const Vector value = source.Take(row, column);
      source.Put(row, column, value);
      AddScaled(total, 1.0F, value);
    }
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
  const auto kernel = Sum<Source>;
  const int tiles = (shape.channels + kTile - 1) / kTile;
  const int at_once = std::min(kColumnSumBlocks, BlocksAtOnce(kernel, 32 * kWarps, 0));
  const int64_t useful = (shape.rows + kWarps - 1) / kWarps;
  // One at least: without rows, sums are zero.
  const auto blocks = static_cast<int>(std::clamp<int64_t>(useful, 1, std::max(1, at_once / tiles)));
  const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(blocks));
  kernel<<<grid, dim3(32, kWarps), 0, stream>>>(shape, source, partial);
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
    Launch(shape, Plain<T>{shape.channels, static_cast<const T*>(x)}, partial, sums, stream);
  });
}

void GeluBackward(const RowShape& shape, Element element, const void* x, const void* of_out, void* of_x,
                  float* partial, float* sums, CudaStream stream) {
  WithElement(element, [&]<typename T>() {
    Launch(shape,
           ThroughGelu<T>{shape.channels, static_cast<const T*>(x), static_cast<const T*>(of_out),
                          static_cast<T*>(of_x)},
           partial, sums, stream);
  });
}

void JoinGradients(const RotationShape& shape, Element element, const void* q, const void* k, const void* v,
                   const float* cos, const float* sin, void* qkv, float* partial, float* sums,
                   CudaStream stream) {
  const RowShape rows{shape.sequences * shape.tokens, 3 * shape.heads * shape.head_size};
  WithElement(element, [&]<typename T>() {
    Launch(rows,
           Joined<T>{shape, static_cast<const T*>(q), static_cast<const T*>(k), static_cast<const T*>(v), cos,
                     sin, static_cast<T*>(qkv)},
           partial, sums, stream);
  });
}

}  // namespace calfvo::train
