// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include "network/cuda_kernels.h"

namespace calfvo::train {

bool HasHopperKernels() {
  int device = 0;
  int major = 0;
  int minor = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
         cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess &&
         major == 9 && minor == 0;
}

}  // namespace calfvo::train
