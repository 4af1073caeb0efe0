// SPDX-License-Identifier: Apache-2.0
// Random numbers that are a function of a seed and a counter: the same on the host and on the GPU, in any
// order and on any number of threads.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/portable/host_device.h"

namespace calfvo::portable {

// Mixes 64 bits so that each output bit depends on each input bit.
CALFVO_HD uint64_t Mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ULL;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ULL;
  x ^= x >> 32;
  return x;
}

// A stream of numbers. Streams with different seeds are independent; Fork makes one for a part of the work.
class Random {
 public:
  CALFVO_HD explicit Random(uint64_t seed) : key_(Mix(seed + 0x9E3779B97F4A7C15ULL)) {}

  CALFVO_HD uint32_t Bits() {
    return static_cast<uint32_t>(Mix(key_ + 0x9E3779B97F4A7C15ULL * ++counter_) >> 32);
  }

  // In [0, 1), a multiple of 2⁻²⁴: exact in float.
  CALFVO_HD float Uniform() { return static_cast<float>(Bits() >> 8) * 0x1p-24F; }
  CALFVO_HD float Uniform(float low, float high) { return low + (high - low) * Uniform(); }
  CALFVO_HD bool Chance(float probability) { return Uniform() < probability; }

  // In [0, count).
  CALFVO_HD int Index(int count) {
    return static_cast<int>((static_cast<uint64_t>(Bits()) * static_cast<uint64_t>(count)) >> 32);
  }

  // Mean 0, standard deviation 1 (Box–Muller, two draws a number).
  CALFVO_HD float Normal() {
    const float radius = sqrtf(-2.0F * logf(1.0F - Uniform()));
    return radius * cosf(6.2831853F * Uniform());
  }

  // exp of a normal: median `median`, standard deviation of the logarithm `sigma`.
  CALFVO_HD float LogNormal(float median, float sigma) { return median * expf(sigma * Normal()); }

  CALFVO_HD Random Fork(uint64_t part) const { return Random(key_ ^ Mix(part + 1)); }

 private:
  uint64_t key_;
  uint64_t counter_ = 0;
};

}  // namespace calfvo::portable
