// SPDX-License-Identifier: Apache-2.0
#include "nn/model/position_grid.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace calfvo {
namespace {

// The cubic convolution kernel with parameter a.
double Cubic(double x, double a) {
  x = std::abs(x);
  if (x < 1.0) return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  if (x < 2.0) return ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a;
  return 0.0;
}

// weights[dst][src]: how much source sample `src` counts for destination sample `dst`.
using WeightMatrix = std::vector<std::vector<double>>;

// PyTorch's bicubic without antialiasing, given a scale factor of (side + 0.1)/grid.
WeightMatrix OffsetWeights(int grid, int side) {
  WeightMatrix weights(static_cast<size_t>(side), std::vector<double>(static_cast<size_t>(grid), 0.0));
  for (int dst = 0; dst < side; ++dst) {
    const double centre = (dst + 0.5) * grid / (side + 0.1) - 0.5;
    const int base = static_cast<int>(std::floor(centre));
    for (int tap = base - 1; tap <= base + 2; ++tap) {
      const int src = std::clamp(tap, 0, grid - 1);
      weights[static_cast<size_t>(dst)][static_cast<size_t>(src)] += Cubic(centre - tap, -0.75);
    }
  }
  return weights;
}

// PyTorch's bicubic with antialiasing, given the size: Pillow's rule.
WeightMatrix AntialiasWeights(int grid, int side) {
  WeightMatrix weights(static_cast<size_t>(side), std::vector<double>(static_cast<size_t>(grid), 0.0));
  const double scale = static_cast<double>(grid) / side;
  const double stretch = std::max(scale, 1.0);
  const double support = 2.0 * stretch;
  for (int dst = 0; dst < side; ++dst) {
    const double centre = (dst + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(std::floor(centre - support + 0.5)));
    const int last = std::min(grid, static_cast<int>(std::floor(centre + support + 0.5)));
    double sum = 0.0;
    for (int src = first; src < last; ++src) {
      const double weight = Cubic((src - centre + 0.5) / stretch, -0.5);
      weights[static_cast<size_t>(dst)][static_cast<size_t>(src)] = weight;
      sum += weight;
    }
    for (double& weight : weights[static_cast<size_t>(dst)]) weight /= sum;
  }
  return weights;
}

}  // namespace

Tensor ResizePositions(const TensorView& positions, int grid, int side, PositionInterpolation rule) {
  const auto dim = static_cast<size_t>(positions.shape()[1]);
  const auto source = positions.Data<float>().subspan(dim);
  Tensor result(DType::kF32, {int64_t{side} * side, static_cast<int64_t>(dim)});
  const auto out = result.MutableData<float>();
  if (side == grid) {
    std::copy(source.begin(), source.end(), out.begin());
    return result;
  }
  const WeightMatrix weights =
      rule == PositionInterpolation::kOffset ? OffsetWeights(grid, side) : AntialiasWeights(grid, side);
  const auto from_side = static_cast<size_t>(grid);
  const auto to_side = static_cast<size_t>(side);
  std::vector<double> sum(dim);
  for (size_t y = 0; y < to_side; ++y) {
    for (size_t x = 0; x < to_side; ++x) {
      std::fill(sum.begin(), sum.end(), 0.0);
      for (size_t v = 0; v < from_side; ++v) {
        for (size_t u = 0; u < from_side; ++u) {
          const double weight = weights[y][v] * weights[x][u];
          if (weight == 0.0) continue;
          const float* from = source.data() + (v * from_side + u) * dim;
          for (size_t c = 0; c < dim; ++c) sum[c] += weight * static_cast<double>(from[c]);
        }
      }
      for (size_t c = 0; c < dim; ++c) out[(y * to_side + x) * dim + c] = static_cast<float>(sum[c]);
    }
  }
  return result;
}

}  // namespace calfvo
