// SPDX-License-Identifier: Apache-2.0
#include "network/cuda_kernels.h"
#include "network/cuda_launch.h"
#include "network/cuda_vector.h"

namespace calfvo::train {
namespace {

constexpr int kThreads = 256;

// One thread per pixel.
__global__ void Stack(int64_t total, int frames, int64_t pixels, const uint8_t* __restrict__ from,
                      const float* __restrict__ scale, const float* __restrict__ shift,
                      __nv_bfloat16* __restrict__ to) {
  const int64_t pixel = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (pixel >= total) return;
  const bool is_first = pixel / pixels % frames == 0;
  const uint8_t* current = from + 3 * pixel;
  const uint8_t* previous = is_first ? current : current - 3 * pixels;
  Vector out = {};
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    out.v[c] = static_cast<float>(previous[c]) * scale[c] + shift[c];
    out.v[3 + c] = static_cast<float>(current[c]) * scale[c] + shift[c];
  }
  Store8(to + kVector * pixel, out);
}

}  // namespace

void StackPairs(int64_t windows, int frames, int64_t pixels, const uint8_t* from, const float* scale,
                const float* shift, void* to, CudaStream stream) {
  const int64_t total = windows * frames * pixels;
  if (total == 0) return;
  const auto blocks = static_cast<unsigned>((total + kThreads - 1) / kThreads);
  Stack<<<blocks, kThreads, 0, stream>>>(total, frames, pixels, from, scale, shift,
                                         static_cast<__nv_bfloat16*>(to));
  CheckLaunch("stacking of pairs");
}

}  // namespace calfvo::train
