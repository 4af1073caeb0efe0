// SPDX-License-Identifier: Apache-2.0
// GELU of one value and its derivative, for CPU and GPU: z·Φ(z), with Φ to 1e-7 by equation 7.1.26 of
// Abramowitz and Stegun's handbook. That takes one exponential, which the derivative needs anyway, where the
// library's erf takes several times the operations.
#pragma once

#include "network/quick_math.h"

namespace calfvo::train {

// exp(−z²/2).
CALFVO_HD float Bell(float z) {
  return PowerOfTwo(-0.72134752F * z * z);
}

// Φ(−|z|), the share of a normal distribution that lies further out than z on its side.
CALFVO_HD float NormalTail(float z, float bell) {
  const float t = Reciprocal(1.0F + 0.3275911F * 0.70710678F * fabsf(z));
  const float series =
      0.127414796F + t * (-0.142248368F + t * (0.7107068705F + t * (-0.7265760135F + t * 0.5307027145F)));
  return t * series * bell;
}

CALFVO_HD float Gelu(float z) {
  return fmaxf(z, 0.0F) - fabsf(z) * NormalTail(z, Bell(z));
}

CALFVO_HD float GeluDerivative(float z) {
  const float bell = Bell(z);
  const float tail = NormalTail(z, bell);
  return (z < 0.0F ? tail : 1.0F - tail) + z * 0.39894228F * bell;
}

}  // namespace calfvo::train
