// SPDX-License-Identifier: Apache-2.0
// One thread takes eight elements.
#include "network/cuda_kernels.h"
#include "network/cuda_launch.h"
#include "network/cuda_vector.h"
#include "network/gelu_one.h"

namespace calfvo::train {
namespace {

constexpr int kThreads = 256;

unsigned BlocksFor(int64_t elements) {
  return static_cast<unsigned>((elements / kVector + kThreads - 1) / kThreads);
}

template <typename T>
__global__ void GeluOf(int64_t count, const T* __restrict__ x, T* __restrict__ out) {
  const int64_t at = (int64_t{blockIdx.x} * kThreads + threadIdx.x) * kVector;
  if (at >= count) return;
  Vector z = Load8(x + at);
#pragma unroll
  for (int e = 0; e < kVector; ++e) z.v[e] = Gelu(z.v[e]);
  Store8(out + at, z);
}

template <typename T>
__global__ void Add(int64_t count, int channels, const T* __restrict__ x, const T* __restrict__ branch,
                    const float* __restrict__ bias, T* __restrict__ sum) {
  const int64_t vector = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const int64_t at = vector * kVector;
  if (at >= count) return;
  const auto column = static_cast<int>(at % channels);
  Vector total = Load8(x + at);
  AddScaled(total, 1.0F, Load8(branch + at));
#pragma unroll
  for (int e = 0; e < kVector; ++e) total.v[e] += bias[column + e];
  Store8(sum + at, total);
}

}  // namespace

void GeluForward(int64_t count, Element element, const void* x, void* out, CudaStream stream) {
  if (count == 0) return;
  WithElement(element, [&]<typename T>() {
    GeluOf<<<BlocksFor(count), kThreads, 0, stream>>>(count, static_cast<const T*>(x), static_cast<T*>(out));
  });
  CheckLaunch("GELU");
}

void AddBranch(const RowShape& shape, Element element, const void* x, const void* branch, const float* bias,
               void* sum, CudaStream stream) {
  const int64_t count = shape.rows * shape.channels;
  if (count == 0) return;
  WithElement(element, [&]<typename T>() {
    Add<<<BlocksFor(count), kThreads, 0, stream>>>(count, shape.channels, static_cast<const T*>(x),
                                                   static_cast<const T*>(branch), bias, static_cast<T*>(sum));
  });
  CheckLaunch("addition of a branch");
}

}  // namespace calfvo::train
