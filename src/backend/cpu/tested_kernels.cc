// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/tested_kernels.h"

#include <algorithm>

namespace calfvo {

extern const CpuKernels kEmulatedAmxKernels;

std::vector<const CpuKernels*> TestedKernels() {
  std::vector<const CpuKernels*> tested = SupportedKernels();
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)  // which is slow, and sees enough in the others
  const bool has_bf16 =
      std::any_of(tested.begin(), tested.end(), [](const auto* kernels) { return kernels->bf16; });
  if (has_bf16) tested.push_back(&kEmulatedAmxKernels);
#endif
  return tested;
}

}  // namespace calfvo
