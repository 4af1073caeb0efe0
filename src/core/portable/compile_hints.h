// SPDX-License-Identifier: Apache-2.0
// Hints that keep GPU code small; they mean nothing to host compilers.
#pragma once

#include <cstdint>

#include "core/portable/host_device.h"

#if defined(__CUDACC__)
#define CALFVO_ROLLED _Pragma("unroll 1")                       // before a loop: do not unroll it
#define CALFVO_HD_CALL __host__ __device__ __noinline__ inline  // a real call
#else
#define CALFVO_ROLLED
#define CALFVO_HD_CALL inline
#endif

namespace calfvo::synth {

// A copy of a 16-byte aligned record, which the GPU reads in whole vectors.
template <typename T>
CALFVO_HD T Load(const T& source) {
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(T) % 16 == 0 && alignof(T) >= 16);
  T copy;
  const auto* from = reinterpret_cast<const uint4*>(&source);
  auto* to = reinterpret_cast<uint4*>(&copy);
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(T) / 16); ++i) to[i] = from[i];
  return copy;
#else
  return source;
#endif
}

}  // namespace calfvo::synth
