// SPDX-License-Identifier: Apache-2.0
// Noise images for timing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace calfvo {

// `count` prepared images of `values` floats each, uniform in [-1, 1), one after the other; the same for
// the same seed.
std::vector<float> NoiseImages(size_t count, size_t values, uint64_t seed);

}  // namespace calfvo
