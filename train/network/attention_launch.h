// SPDX-License-Identifier: Apache-2.0
// Starting the kernels of attention. Included by attention_*.cu only.
#pragma once

#include "network/attention_head.h"
#include "network/cuda_launch.h"

namespace calfvo::train::attention {

// function.operator()<group>() with the shape's group.
template <typename Function>
void WithGroup(const AttentionShape& shape, const Function& function) {
  switch (shape.group) {
    case 0:
      return function.template operator()<0>();
    case 16:
      return function.template operator()<16>();
    case 32:
      return function.template operator()<32>();
    default:
      throw Error("attention: positions turn pairs of elements 16 or 32 apart");
  }
}

// As many as whole strips have.
inline size_t RowCount(const AttentionShape& shape) {
  return static_cast<size_t>(shape.tokens + kStrip - 1) / kStrip * kStrip;
}

template <typename Kernel, typename... Arguments>
void Launch(Kernel kernel, const AttentionShape& shape, size_t matrices, size_t more_bytes, CudaStream stream,
            Arguments... arguments) {
  const size_t matrix = RowCount(shape) * kHead * sizeof(Bf16);
  // The last 64 rows of the last matrix are read to their end.
  const size_t bytes = matrices * matrix + std::max(more_bytes, kGroupRows * kHead * sizeof(Bf16));
  const cudaError_t status =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (status != cudaSuccess) throw Error(std::string("attention: ") + cudaGetErrorString(status));
  const auto blocks = static_cast<unsigned>(shape.sequences * shape.heads);
  if (blocks > 0) kernel<<<blocks, kThreads, bytes, stream>>>(shape, arguments...);
}

}  // namespace calfvo::train::attention
