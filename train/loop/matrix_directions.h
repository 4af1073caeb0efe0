// SPDX-License-Identifier: Apache-2.0
// The steps that Muon takes (Jordan et al. 2024): matrices whose singular values are all about one, so that
// a step moves every direction of a layer's input alike, however small its part in the gradient.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "loop/flat_parameters.h"

namespace calfvo::train {

// U·Vᵀ of each matrix of [count, rows, columns], roughly: singular values between 0.6 and 1.25, by five steps
// of a Newton-Schulz iteration, which are products alone. On GPUs in bf16. Zero stays zero.
torch::Tensor NearlyOrthogonal(const torch::Tensor& matrices);

// The matrices of a flat vector, those of one shape together. Kernels of convolutions are matrices [outputs,
// inputs], and the projection to queries, keys and values is three of them.
class MatrixDirections {
 public:
  explicit MatrixDirections(const FlatParameters& parameters);

  // Each matrix in [0, matrix_size) of `directions`, flat like the weights, becomes nearly orthogonal, times
  // 0.2·√(longer side): its elements then have a root mean square of about 0.2, that of AdamW's steps, and
  // the same learning rates suit both.
  void Apply(const torch::Tensor& directions) const;

 private:
  struct Group {
    int64_t rows = 0;
    int64_t columns = 0;
    std::vector<int64_t> begins;  // elements of the flat vector
  };
  std::vector<Group> groups_;
};

}  // namespace calfvo::train
