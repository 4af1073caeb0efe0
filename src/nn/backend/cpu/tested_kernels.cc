// SPDX-License-Identifier: Apache-2.0
#include "nn/backend/cpu/tested_kernels.h"

#include <algorithm>
#include <string_view>

namespace calfvo {

extern const CpuKernels kEmulatedAmxKernels;
extern const CpuKernels kEmulatedAmxInt8Kernels;
extern const CpuKernels kAvx512VlVnniKernels;

#if defined(__x86_64__)
namespace {

bool Supports(std::string_view name) {
  const std::vector<const CpuKernels*> supported = SupportedKernels();
  return std::any_of(supported.begin(), supported.end(),
                     [&](const CpuKernels* kernels) { return kernels->name == name; });
}

}  // namespace
#endif

const CpuKernels* AvxVnniStandIn() {
#if defined(__x86_64__)
  if (Supports("AVX-512 VNNI")) return &kAvx512VlVnniKernels;
#endif
  return nullptr;
}

std::vector<const CpuKernels*> TestedKernels() {
  std::vector<const CpuKernels*> tested = SupportedKernels();
  if (const CpuKernels* stand_in = AvxVnniStandIn(); stand_in != nullptr) tested.push_back(stand_in);
#if defined(__x86_64__)
#if !defined(__SANITIZE_THREAD__)  // too slow with TSan, and the others cover the threading
  if (Supports("AVX-512")) {
    tested.push_back(&kEmulatedAmxKernels);
    tested.push_back(&kEmulatedAmxInt8Kernels);
  }
#endif
#endif
  return tested;
}

}  // namespace calfvo
