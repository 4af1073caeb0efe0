// SPDX-License-Identifier: Apache-2.0
// How much each input pixel counts for an output pixel along one axis, in Pillow's fixed-point arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/portable/resample.h"

namespace calfvo {

enum class ResampleKernel { kBilinear, kBicubic, kLanczos };  // triangle; cubic with a = −0.5; three lobes

// An owned portable::ResampleAxis.
struct ResampleWeights {
  int taps = 0;  // a multiple of 4, at least the largest count
  std::vector<portable::ResampleWindow> windows;
  std::vector<int32_t> weights;  // [windows, taps]; 0 from count on

  const int32_t* of(size_t i) const { return weights.data() + i * static_cast<size_t>(taps); }
  portable::ResampleAxis axis() const {
    return {static_cast<int>(windows.size()), taps, windows.data(), weights.data()};
  }
};

// The weights of outputs begin … begin + count − 1 of an axis that goes from in_size to out_size pixels.
ResampleWeights MakeResampleWeights(ResampleKernel kernel, int in_size, int out_size, int begin, int count);

}  // namespace calfvo
