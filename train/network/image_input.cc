// SPDX-License-Identifier: Apache-2.0
#include "network/image_input.h"

#include <ATen/ops/addcmul.h>
#include <ATen/ops/cat.h>

namespace calfvo::train {

at::Tensor NormalizedFrames(const at::Tensor& frames, const InputScale& input, at::ScalarType dtype) {
  return at::addcmul(input.shift, frames, input.scale).to(dtype).flatten(0, 1);
}

at::Tensor NormalizedPairs(const at::Tensor& frames, const at::Tensor& before, const InputScale& input,
                           at::ScalarType dtype) {
  const at::Tensor first = before.defined() ? before.unsqueeze(1) : frames.narrow(1, 0, 1);
  const at::Tensor previous = at::cat({first, frames.narrow(1, 0, frames.size(1) - 1)}, 1);
  const at::Tensor pairs = at::cat({previous, frames}, -1);
  const InputScale twice{at::cat({input.scale, input.scale}), at::cat({input.shift, input.shift})};
  return NormalizedFrames(pairs, twice, dtype);
}

}  // namespace calfvo::train
