// SPDX-License-Identifier: Apache-2.0
// Starting kernels. Included by *.cu files only.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

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

inline void CheckLaunch(const char* what) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) throw Error(std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace calfvo::train
