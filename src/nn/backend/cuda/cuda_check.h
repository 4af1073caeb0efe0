// SPDX-License-Identifier: Apache-2.0
// CUDA return codes as Errors with advice on what to do.
#pragma once

#include <cuda_runtime_api.h>

namespace calfvo {

// Throws Error for any code but cudaSuccess; `what` names the action, "copying images to the GPU".
void CheckCuda(cudaError_t code, const char* what);

// After a kernel launch.
inline void CheckLaunch(const char* kernel) {
  CheckCuda(cudaGetLastError(), kernel);
}

}  // namespace calfvo
