// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64 with AVX-512.
#define CALFVO_ISA isa_avx512
#include "nn/backend/cpu/kernels_impl.h"

namespace calfvo {

extern const CpuKernels kAvx512Kernels;
const CpuKernels kAvx512Kernels = isa_avx512::MakeKernels<isa_avx512::F32Product>("AVX-512", false);

}  // namespace calfvo
