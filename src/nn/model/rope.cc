// SPDX-License-Identifier: Apache-2.0
#include "nn/model/rope.h"

#include <cmath>
#include <numbers>

#include "nn/tensor/tensor.h"

namespace calfvo {
namespace {

// angle(y, x, pair) for every token of the grid.
template <typename AngleOf>
Rope MakeRope(Backend& backend, int side, int pairs, int group, int skip, const AngleOf& angle_of) {
  const Shape shape({int64_t{side} * side, pairs});
  Tensor cosines = Tensor::Uninitialized(DType::kF32, shape);
  Tensor sines = Tensor::Uninitialized(DType::kF32, shape);
  size_t i = 0;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      for (int pair = 0; pair < pairs; ++pair, ++i) {
        const double angle = angle_of(y, x, pair);
        cosines.MutableData<float>()[i] = static_cast<float>(std::cos(angle));
        sines.MutableData<float>()[i] = static_cast<float>(std::sin(angle));
      }
    }
  }
  Rope rope;
  rope.cos = backend.MakeVector(cosines.view());
  rope.sin = backend.MakeVector(sines.view());
  rope.pairs = pairs;
  rope.group = group;
  rope.skip = skip;
  return rope;
}

}  // namespace

Rope MakeGridRope(Backend& backend, int side, int head_size, double base) {
  const int group = head_size / 4;  // pairs in the y half, and in the x half
  return MakeRope(backend, side, 2 * group, group, /*skip=*/0, [&](int y, int x, int pair) {
    const double frequency = std::pow(base, -static_cast<double>(pair % group) / group);
    return (pair < group ? y : x) * frequency;
  });
}

Rope MakePeriodRope(Backend& backend, int side, std::span<const float> periods, int skip) {
  const int quarter = static_cast<int>(periods.size());
  return MakeRope(backend, side, 2 * quarter, 2 * quarter, skip, [&](int y, int x, int pair) {
    const double coordinate = 2.0 * ((pair < quarter ? y : x) + 0.5) / side - 1.0;
    return 2.0 * std::numbers::pi * coordinate /
           static_cast<double>(periods[static_cast<size_t>(pair < quarter ? pair : pair - quarter)]);
  });
}

}  // namespace calfvo
