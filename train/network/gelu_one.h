// SPDX-License-Identifier: Apache-2.0
// GELU of one value and its derivative, for CPU and GPU: z·Φ(z), with Φ to 1e-7 by equation 7.1.26 of
// Abramowitz and Stegun's handbook. That takes one exponential, which the derivative needs anyway, where the
// library's erf takes several times the operations.
#pragma once

#include <cmath>

#include "portable/host_device.h"

namespace calfvo::train {

// exp(−z²/2).
CALFVO_HD float Bell(float z) {
#ifdef __CUDA_ARCH__
  return __expf(-0.5F * z * z);
#else
  return std::exp(-0.5F * z * z);
#endif
}

// Φ(z), the share of a normal distribution below z.
CALFVO_HD float NormalShare(float z, float bell) {
  const float denominator = 1.0F + 0.3275911F * 0.70710678F * fabsf(z);
#ifdef __CUDA_ARCH__
  const float t = __fdividef(1.0F, denominator);
#else
  const float t = 1.0F / denominator;
#endif
  const float series =
      t * (0.254829592F + t * (-0.284496736F + t * (1.421413741F + t * (-1.453152027F + t * 1.061405429F))));
  const float tail = 0.5F * series * bell;
  return z < 0.0F ? tail : 1.0F - tail;
}

CALFVO_HD float Gelu(float z) {
  return z * NormalShare(z, Bell(z));
}

CALFVO_HD float GeluDerivative(float z) {
  const float bell = Bell(z);
  return NormalShare(z, bell) + z * 0.39894228F * bell;
}

}  // namespace calfvo::train
