// SPDX-License-Identifier: Apache-2.0
// Removes from an image what a mask hides.
#pragma once

#include <cstdint>
#include <span>

namespace calfvo {

// Replaces what a mask hides by a smooth surface through what is seen around it: colours that solve Laplace's
// equation, on a grid of at most 160 cells a side. `mask` is [height, width], 0 where it hides; `rgb` is
// [height, width, 3]. Pixels that are seen keep their values, and an image that is hidden as a whole stays as
// it is.
void FillMasked(int width, int height, std::span<const uint8_t> mask, std::span<uint8_t> rgb);

}  // namespace calfvo
