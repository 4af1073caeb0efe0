// SPDX-License-Identifier: Apache-2.0
// Starting kernels. Included by *.cu files only.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "calfvo/error.h"
#include "network/cuda_kernels.h"

namespace calfvo::train {

// Calls function<float>() or function<__nv_bfloat16>().
template <typename Function>
void WithElement(Element element, const Function& function) {
  if (element == Element::kF32) {
    function.template operator()<float>();
  } else {
    function.template operator()<__nv_bfloat16>();
  }
}

// How many blocks of a kernel the device runs at a time. Where blocks take work in turn, more of them would
// only leave some waiting, and more partial sums. At least 1; errors are left for CheckLaunch.
template <typename Kernel>
int BlocksAtOnce(Kernel kernel, int threads, size_t shared_bytes) {
  int device = 0;
  int processors = 0;
  int per_processor = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_processor, kernel, threads, shared_bytes);
  return std::max(1, processors * per_processor);
}

inline void CheckLaunch(const char* what) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) throw Error(std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace calfvo::train
