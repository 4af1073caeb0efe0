// SPDX-License-Identifier: Apache-2.0
// Return codes of CUDA as Errors that say what to do.
#pragma once

#include <cuda_runtime_api.h>

namespace calfvo {

// Throws Error for any code but cudaSuccess; `what` names the action, "copying pictures to the GPU".
void CheckCuda(cudaError_t code, const char* what);

// After a kernel launch.
inline void CheckLaunch(const char* kernel) {
  CheckCuda(cudaGetLastError(), kernel);
}

}  // namespace calfvo
