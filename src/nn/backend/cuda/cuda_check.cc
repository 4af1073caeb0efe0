// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cuda/cuda_check.h"

#include <fmt/format.h>

#include <string>

#include "core/base/temporary_error.h"

namespace calfvo {

void CheckCuda(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  const char* advice = "";
  switch (code) {
    case cudaErrorMemoryAllocation:
      advice = "; close other programs that use the GPU, or use --backend cpu";
      break;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      advice =
          "; this build is for another GPU: configure with -D CMAKE_CUDA_ARCHITECTURES for yours, or use "
          "--backend cpu";
      break;
    case cudaErrorDevicesUnavailable:
    case cudaErrorNoDevice:
      advice = "; use --backend cpu";
      break;
    default:
      break;
  }
  const std::string message = fmt::format("the GPU failed while {}: {} ({}){}", what,
                                          cudaGetErrorString(code), cudaGetErrorName(code), advice);
  if (code == cudaErrorMemoryAllocation || code == cudaErrorDevicesUnavailable) throw TemporaryError(message);
  throw Error(message);
}

}  // namespace calfvo
