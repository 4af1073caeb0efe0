// SPDX-License-Identifier: Apache-2.0
#include "loss/procrustes_cuda.h"

#include <cuda_runtime.h>

#include <string>

#include "calfvo/error.h"
#include "loss/procrustes_one.h"

namespace calfvo::train {
namespace {

constexpr int kThreads = 64;

unsigned Blocks(int64_t count) {
  return static_cast<unsigned>((count + kThreads - 1) / kThreads);
}

__device__ int64_t Index() {
  return static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}

template <typename Scalar>
__global__ void Forward(const Scalar* matrices, Scalar* rotations, int64_t count) {
  const int64_t i = Index();
  if (i < count) NearestRotationOne(matrices + 9 * i, rotations + 9 * i);
}

template <typename Scalar>
__global__ void Backward(const Scalar* matrices, const Scalar* rotations, const Scalar* rotation_gradients,
                         Scalar* matrix_gradients, int64_t count) {
  const int64_t i = Index();
  if (i >= count) return;
  NearestRotationOneBackward(matrices + 9 * i, rotations + 9 * i, rotation_gradients + 9 * i,
                             matrix_gradients + 9 * i);
}

void CheckLaunch(const char* what) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) throw Error(std::string("CUDA, ") + what + ": " + cudaGetErrorString(status));
}

}  // namespace

template <typename Scalar>
void LaunchNearestRotation(const Scalar* matrices, Scalar* rotations, int64_t count, CUstream_st* stream) {
  if (count == 0) return;
  Forward<<<Blocks(count), kThreads, 0, stream>>>(matrices, rotations, count);
  CheckLaunch("nearest rotations");
}

template <typename Scalar>
void LaunchNearestRotationBackward(const Scalar* matrices, const Scalar* rotations,
                                   const Scalar* rotation_gradients, Scalar* matrix_gradients, int64_t count,
                                   CUstream_st* stream) {
  if (count == 0) return;
  Backward<<<Blocks(count), kThreads, 0, stream>>>(matrices, rotations, rotation_gradients, matrix_gradients,
                                                   count);
  CheckLaunch("gradients of nearest rotations");
}

template void LaunchNearestRotation(const float*, float*, int64_t, CUstream_st*);
template void LaunchNearestRotation(const double*, double*, int64_t, CUstream_st*);
template void LaunchNearestRotationBackward(const float*, const float*, const float*, float*, int64_t,
                                            CUstream_st*);
template void LaunchNearestRotationBackward(const double*, const double*, const double*, double*, int64_t,
                                            CUstream_st*);

}  // namespace calfvo::train
