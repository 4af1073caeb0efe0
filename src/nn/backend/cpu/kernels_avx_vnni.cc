// SPDX-License-Identifier: Apache-2.0
// Compiled for x86-64 with AVX2, FMA and AVX-VNNI: products of 8-bit integers in vectors of 256 bits.
#define CALFVO_ISA isa_avx_vnni
#include "nn/backend/cpu/kernels_impl.h"

namespace calfvo {

extern const CpuKernels kAvxVnniKernels;
const CpuKernels kAvxVnniKernels = isa_avx_vnni::MakeInt8<isa_avx_vnni::F32Product>(
#if defined(CALFVO_AVX512VL_FORM)
    "AVX-512VL VNNI",
#else
    "AVX-VNNI",
#endif
    false);

}  // namespace calfvo
