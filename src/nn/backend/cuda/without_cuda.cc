// SPDX-License-Identifier: Apache-2.0
// For builds without CUDA.
#include "calfvo/error.h"
#include "nn/backend/cuda/cuda_backend.h"

namespace calfvo {

bool CudaWasBuilt() {
  return false;
}

std::string CudaProblem() {
  return "this program was built without it (configure with -D CALFVO_CUDA=ON)";
}

bool CudaHasFp8() {
  return false;
}

std::unique_ptr<Backend> MakeCudaBackend(bool /*fp8*/) {
  throw Error("backend cuda: " + CudaProblem());
}

}  // namespace calfvo
