// SPDX-License-Identifier: Apache-2.0
// The kernels under test.
#pragma once

#include <vector>

#include "nn/backend/cpu/kernels.h"

namespace calfvo {

// SupportedKernels; if the CPU has AVX-512, the AMX kernels with emulated instructions; if it also has VNNI,
// the AVX-VNNI kernels with the instruction's AVX-512 form.
std::vector<const CpuKernels*> TestedKernels();

// The AVX-VNNI kernels with the instruction's AVX-512 form, to time them on CPUs without AVX-VNNI; null
// without AVX-512 VNNI.
const CpuKernels* AvxVnniStandIn();

}  // namespace calfvo
