// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64 with AVX2 and FMA.
#define CALFVO_ISA isa_avx2
#include "backend/cpu/kernels_impl.h"

namespace calfvo {

extern const CpuKernels kAvx2Kernels;
const CpuKernels kAvx2Kernels = isa_avx2::MakeKernels<isa_avx2::F32Product>("AVX2", false);

}  // namespace calfvo
