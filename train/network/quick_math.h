// SPDX-License-Identifier: Apache-2.0
// What GPUs have an instruction for, good to the last bit or two, where the library's function takes several
// for numbers too small to matter.
#pragma once

#include <cmath>

#include "core/portable/host_device.h"

namespace calfvo::train {

// 2^x.
CALFVO_HD float PowerOfTwo(float x) {
#ifdef __CUDA_ARCH__
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
#else
  return std::exp2(x);
#endif
}

// 1 / x.
CALFVO_HD float Reciprocal(float x) {
#ifdef __CUDA_ARCH__
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(x));
  return reciprocal;
#else
  return 1.0F / x;
#endif
}

}  // namespace calfvo::train
