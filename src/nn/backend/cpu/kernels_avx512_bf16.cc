// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64 with AVX-512 and its products of bf16.
#define CALFVO_ISA isa_avx512_bf16
#include "nn/backend/cpu/kernels_impl.h"

namespace calfvo {

extern const CpuKernels kAvx512Bf16Kernels;
const CpuKernels kAvx512Bf16Kernels =
    isa_avx512_bf16::MakeKernels<isa_avx512_bf16::Bf16Product>("AVX-512", true);

}  // namespace calfvo
