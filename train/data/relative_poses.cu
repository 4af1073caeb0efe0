// SPDX-License-Identifier: Apache-2.0
#include "data/relative_poses.h"

#include <cuda_runtime.h>

#include <string>

#include "calfvo/error.h"
#include "data/relative_pose.h"

namespace calfvo::train {
namespace {

// A block per window, a thread per pair; the first frame is the one before the window and has no part in it.
__global__ void RelativePosesKernel(const PosedFrame* posed, float* rotation, float* translation) {
  const auto pairs = static_cast<int64_t>(blockDim.x);
  const auto window = static_cast<int64_t>(blockIdx.x);
  const auto i = static_cast<int64_t>(threadIdx.x);
  const PosedFrame* frames = posed + window * (pairs + 2) + 1 + i;
  const int64_t pair = window * pairs + i;
  WriteRelativePose(frames[0], frames[1], rotation + 9 * pair, translation + 3 * pair);
}

}  // namespace

void LaunchRelativePoses(const PosedFrame* posed, int windows, int frames, float* rotation,
                         float* translation, CudaStream stream) {
  RelativePosesKernel<<<static_cast<unsigned>(windows), static_cast<unsigned>(frames - 2), 0, stream>>>(
      posed, rotation, translation);
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) throw Error(std::string("CUDA, relative poses: ") + cudaGetErrorString(status));
}

}  // namespace calfvo::train
