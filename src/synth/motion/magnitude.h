// SPDX-License-Identifier: Apache-2.0
// Gives random signals the distribution of measured motion.
//
// A Gaussian signal is turned into its rank (the probability of a smaller value, uniform over time and clips)
// and the rank into the measured quantile. The signal keeps its smoothness, the magnitudes get the measured
// distribution, long tails included.
#pragma once

#include <cmath>

#include "core/portable/host_device.h"
#include "core/portable/vec3.h"

namespace calfvo::motion {

CALFVO_HD float NormalCdf(float x) {
  return 0.5F * erfcf(-0.70710678F * x);
}

// The inverse of NormalCdf, to 0.003 for |result| < 4; larger results are cut there. Solves the approximation
// erf(x)² ≈ 1 − exp(−x²·(4/π + a·x²)/(1 + a·x²)) for x.
CALFVO_HD float NormalQuantile(float probability) {
  const float p = fminf(fmaxf(probability, 3e-5F), 1.0F - 3e-5F);
  const float kA = 0.147F;
  const float log_rest = logf(4.0F * p * (1.0F - p));
  const float half = 4.3307468F + 0.5F * log_rest;  // 2/(π·a) + log/2
  const float magnitude = 1.41421356F * sqrtf(sqrtf(half * half - log_rest / kA) - half);
  return p < 0.5F ? -magnitude : magnitude;
}

// The probability that the length of three independent unit normals is below `r` (Maxwell's distribution).
CALFVO_HD float LengthRank(float r) {
  return fmaxf(0.0F, erff(0.70710678F * r) - 0.79788456F * r * expf(-0.5F * r * r));
}

// The probability that a unit normal is below `r` in magnitude.
CALFVO_HD float MagnitudeRank(float r) {
  return erff(0.70710678F * fabsf(r));
}

// Mixes a rank that changes over time with a unit normal that belongs to the clip: some clips are lively,
// some calm. The result is uniform again over all clips. `clip_share` in [0, 1] is the clip's share of the
// variance.
CALFVO_HD float MixedRank(float rank, float clip_normal, float clip_share) {
  return NormalCdf(sqrtf(1.0F - clip_share) * NormalQuantile(rank) + sqrtf(clip_share) * clip_normal);
}

// A distribution of magnitudes by its quantiles at 0, 5, 25, 50, 75, 95, 99 and 100 %, straight in between.
// What would be negative is zero: a negative value at 0 % makes for rests.
struct MagnitudeTable {
  float at[8] = {};

  CALFVO_HD float Quantile(float rank) const {
    const float kLevels[8] = {0.0F, 0.05F, 0.25F, 0.5F, 0.75F, 0.95F, 0.99F, 1.0F};
    int i = 0;
    while (i < 6 && rank >= kLevels[i + 1]) ++i;
    const float part = (rank - kLevels[i]) / (kLevels[i + 1] - kLevels[i]);
    return fmaxf(0.0F, at[i] + fminf(fmaxf(part, 0.0F), 1.0F) * (at[i + 1] - at[i]));
  }
};

}  // namespace calfvo::motion
