// SPDX-License-Identifier: Apache-2.0
// What the kernels of cuda_kernels.h take, of LibTorch's tensors. Built only with CALFVO_CUDA.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAStream.h>

#include "network/cuda_kernels.h"

namespace calfvo::train {

inline constexpr int64_t kMaxElements = int64_t{1} << 32;  // where kernels count in 32 bits

inline bool HasElement(const at::Tensor& x) {
  return x.is_cuda() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16);
}

inline Element ElementOf(const at::Tensor& x) {
  return x.scalar_type() == at::kFloat ? Element::kF32 : Element::kBF16;
}

inline CudaStream StreamOf(const at::Tensor& x) {
  return c10::cuda::getCurrentCUDAStream(x.device().index()).stream();
}

}  // namespace calfvo::train
