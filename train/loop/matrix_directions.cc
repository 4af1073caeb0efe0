// SPDX-License-Identifier: Apache-2.0
#include "loop/matrix_directions.h"

#include <algorithm>
#include <cmath>

namespace calfvo::train {

torch::Tensor NearlyOrthogonal(const torch::Tensor& matrices) {
  // x ← a·x + b·x³ + c·x⁵ on the singular values. Steep at zero, so that five steps are enough, at the price
  // of ending near one instead of at it.
  constexpr double kA = 3.4445, kB = -4.775, kC = 2.0315;
  constexpr int kSteps = 5;
  const bool tall = matrices.size(1) > matrices.size(2);
  torch::Tensor x = tall ? matrices.transpose(1, 2) : matrices;
  x = x / (matrices.square().sum({1, 2}, /*keepdim=*/true).sqrt() + 1e-12);
  if (matrices.is_cuda()) x = x.to(torch::kBFloat16);
  for (int step = 0; step < kSteps; ++step) {
    const torch::Tensor square = x.bmm(x.transpose(1, 2));
    const torch::Tensor factor = torch::baddbmm(square, square, square, kB, kC);
    x = torch::baddbmm(x, factor, x, kA, 1.0);
  }
  return (tall ? x.transpose(1, 2) : x).to(matrices.scalar_type());
}

MatrixDirections::MatrixDirections(const FlatParameters& parameters) {
  for (const FlatParameters::Slice& slice : parameters.slices()) {
    if (slice.begin >= parameters.matrix_size()) break;
    const int64_t parts = slice.name.ends_with("qkv.weight") ? 3 : 1;
    const int64_t rows = slice.parameter.size(0) / parts;
    const int64_t columns = slice.count / slice.parameter.size(0);
    auto group = std::find_if(groups_.begin(), groups_.end(),
                              [&](const Group& g) { return g.rows == rows && g.columns == columns; });
    if (group == groups_.end()) group = groups_.insert(group, {rows, columns, {}});
    for (int64_t part = 0; part < parts; ++part) {
      group->begins.push_back(slice.begin + part * rows * columns);
    }
  }
}

void MatrixDirections::Apply(const torch::Tensor& directions) const {
  for (const Group& group : groups_) {
    std::vector<torch::Tensor> matrices;
    for (const int64_t begin : group.begins) {
      matrices.push_back(
          directions.narrow(0, begin, group.rows * group.columns).view({group.rows, group.columns}));
    }
    const double scale = 0.2 * std::sqrt(static_cast<double>(std::max(group.rows, group.columns)));
    const torch::Tensor nearly = NearlyOrthogonal(torch::stack(matrices)) * scale;
    for (size_t i = 0; i < matrices.size(); ++i) matrices[i].copy_(nearly[static_cast<int64_t>(i)]);
  }
}

}  // namespace calfvo::train
