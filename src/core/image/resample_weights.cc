// SPDX-License-Identifier: Apache-2.0
#include "core/image/resample_weights.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace calfvo {
namespace {

double Sinc(double x) {
  const double angle = x * std::numbers::pi;
  return x == 0.0 ? 1.0 : std::sin(angle) / angle;
}

double Support(ResampleKernel kernel) {
  switch (kernel) {
    case ResampleKernel::kBilinear:
      return 1.0;
    case ResampleKernel::kBicubic:
      return 2.0;
    case ResampleKernel::kLanczos:
      return 3.0;
  }
  return 0.0;
}

double Value(ResampleKernel kernel, double x) {
  const double r = std::abs(x);
  if (r >= Support(kernel)) return 0.0;
  switch (kernel) {
    case ResampleKernel::kBilinear:
      return 1.0 - r;
    case ResampleKernel::kBicubic:
      return r < 1.0 ? (1.5 * r - 2.5) * r * r + 1.0 : -0.5 * (((r - 5.0) * r + 8.0) * r - 4.0);
    case ResampleKernel::kLanczos:
      return Sinc(r) * Sinc(r / 3.0);
  }
  return 0.0;
}

}  // namespace

// Every rounding here is Pillow's: windows are cut where it cuts them, sums run in its order, weights are
// rounded half away from zero.
ResampleWeights MakeResampleWeights(ResampleKernel kernel, int in_size, int out_size, int begin, int count) {
  const double scale = static_cast<double>(in_size) / out_size;
  const double stretch = std::max(scale, 1.0);
  const double support = Support(kernel) * stretch;
  const int most = std::min(in_size, 2 * static_cast<int>(std::ceil(support)) + 1);
  ResampleWeights result;
  result.taps = (most + 3) / 4 * 4;
  result.weights.resize(static_cast<size_t>(count) * static_cast<size_t>(result.taps));
  std::vector<double> values;
  for (int i = begin; i < begin + count; ++i) {
    const double centre = (i + 0.5) * scale;
    const int first = std::max(0, static_cast<int>(std::trunc(centre - support + 0.5)));
    const int end = std::min(in_size, static_cast<int>(std::trunc(centre + support + 0.5)));
    values.clear();
    double sum = 0.0;
    for (int x = first; x < end; ++x) {
      values.push_back(Value(kernel, (x - centre + 0.5) * (1.0 / stretch)));
      sum += values.back();
    }
    int32_t* weight = result.weights.data() + result.windows.size() * static_cast<size_t>(result.taps);
    for (const double value : values) {
      *weight++ = static_cast<int32_t>(std::round(value / sum * (1 << portable::kResampleBits)));
    }
    result.windows.push_back({first, end - first});
  }
  return result;
}

}  // namespace calfvo
