// SPDX-License-Identifier: Apache-2.0
// Pictures that stand for a video where only the time counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace calfvo {

// `count` prepared pictures of `values` floats each, uniform in [-1, 1), one after the other; the same for
// the same seed.
std::vector<float> NoisePictures(size_t count, size_t values, uint64_t seed);

}  // namespace calfvo
