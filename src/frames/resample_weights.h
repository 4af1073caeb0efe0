// SPDX-License-Identifier: Apache-2.0
// How much each input pixel counts for an output pixel along one axis, in Pillow's fixed-point arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace calfvo {

enum class ResampleKernel { kBilinear, kBicubic, kLanczos };  // triangle; cubic with a = −0.5; three lobes

// A resampled value is (Σ weight · pixel + kResampleHalf) >> kResampleBits, clamped to 0 … 255. Weights are
// below 2 in size and the sum stays within int32.
inline constexpr int kResampleBits = 22;
inline constexpr int32_t kResampleHalf = 1 << (kResampleBits - 1);

// One axis: output pixel i is made of the `count` input pixels from `first` on. Neither the first nor the
// last pixel of a window is ever before that of the window before.
struct ResampleWeights {
  struct Window {
    int first = 0;
    int count = 0;
  };

  int taps = 0;  // a multiple of 4, at least the largest count
  std::vector<Window> windows;
  std::vector<int32_t> weights;  // [windows, taps]; 0 from count on

  const int32_t* of(size_t i) const { return weights.data() + i * static_cast<size_t>(taps); }
};

// The weights of outputs begin … begin + count − 1 of an axis that goes from in_size to out_size pixels.
ResampleWeights MakeResampleWeights(ResampleKernel kernel, int in_size, int out_size, int begin, int count);

}  // namespace calfvo
