// SPDX-License-Identifier: Apache-2.0
// For any CPU of the architecture that the build is for.
#define CALFVO_ISA isa_generic
#include "nn/backend/cpu/kernels_impl.h"

namespace calfvo {

extern const CpuKernels kGenericKernels;
const CpuKernels kGenericKernels = isa_generic::MakeKernels<isa_generic::F32Product>("generic", false);

extern const CpuKernels kGenericInt8Kernels;
const CpuKernels kGenericInt8Kernels = isa_generic::MakeInt8<isa_generic::F32Product>("generic", false);

}  // namespace calfvo
