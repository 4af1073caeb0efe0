// SPDX-License-Identifier: Apache-2.0
// Gradients by central differences. Included by *_test.cc files only.
#pragma once

#include <torch/torch.h>

#include <algorithm>

namespace calfvo::train {

// The largest difference between the gradient of `function` (tensor → scalar) at `point`, in double, and its
// central differences, as a part of the largest of either.
template <typename Function>
double GradientError(Function&& function, const torch::Tensor& point, double step = 1e-6) {
  torch::Tensor x = point.to(torch::kDouble).detach().clone().requires_grad_(true);
  function(x).backward();
  const torch::Tensor gradient = x.grad().flatten();
  const torch::NoGradGuard no_gradient;
  torch::Tensor flat = x.detach().clone().flatten();
  double worst = 0.0;
  double largest = 1e-9;
  for (int64_t i = 0; i < flat.numel(); ++i) {
    const double value = flat[i].item<double>();
    double sides[2];
    for (int side = 0; side < 2; ++side) {
      flat[i] = side == 0 ? value - step : value + step;
      sides[side] = function(flat.view_as(x)).template item<double>();
    }
    flat[i] = value;
    const double expected = (sides[1] - sides[0]) / (2.0 * step);
    const double actual = gradient[i].item<double>();
    worst = std::max(worst, std::abs(actual - expected));
    largest = std::max({largest, std::abs(actual), std::abs(expected)});
  }
  return worst / largest;
}

inline bool AllFinite(const torch::Tensor& tensor) {
  return torch::isfinite(tensor).all().item<bool>();
}

}  // namespace calfvo::train
