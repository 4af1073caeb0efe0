// SPDX-License-Identifier: Apache-2.0
#include "data/log_aspects.h"

#include <cuda_runtime.h>

#include <string>

#include "calfvo/error.h"

namespace calfvo::train {
namespace {

constexpr int kThreads = 64;

__global__ void LogAspectsKernel(const CameraModel* cameras, int windows, float* log_aspect) {
  const int window = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (window < windows) log_aspect[window] = log2f(ImageAspect(cameras[window]));
}

}  // namespace

void LaunchLogAspects(const CameraModel* cameras, int windows, float* log_aspect, CudaStream stream) {
  const int blocks = (windows + kThreads - 1) / kThreads;
  LogAspectsKernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(cameras, windows, log_aspect);
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) throw Error(std::string("CUDA, aspects: ") + cudaGetErrorString(status));
}

}  // namespace calfvo::train
