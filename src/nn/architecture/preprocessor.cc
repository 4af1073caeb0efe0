// SPDX-License-Identifier: Apache-2.0
#include "nn/architecture/preprocessor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "calfvo/error.h"

namespace calfvo {
namespace {

constexpr int kMaxSide = 65535;

ResampleKernel ChooseKernel(ResizeFilter filter, bool shrinks) {
  switch (filter) {
    case ResizeFilter::kBilinear:
      return ResampleKernel::kBilinear;
    case ResizeFilter::kBicubic:
      return ResampleKernel::kBicubic;
    case ResizeFilter::kLanczos:
      return ResampleKernel::kLanczos;
    case ResizeFilter::kLanczosOrBicubic:
      break;
  }
  return shrinks ? ResampleKernel::kLanczos : ResampleKernel::kBicubic;
}

void CheckRoom(size_t values, int size) {
  const auto side = static_cast<size_t>(size);
  if (values == 3 * side * side) return;
  throw Error(fmt::format("room for {} values where 3x{}x{} are made", values, size, size));
}

}  // namespace

// docs/network.md, "Input". The divisions and roundings (half to even) are those of DUSt3R's Python.
ResizePlan PlanInput(const InputConfig& config, const ImageView& image) {
  const int width = image.width;
  const int height = image.height;
  if (std::min(width, height) < 1 || std::max(width, height) > kMaxSide) {
    throw Error(fmt::format("image of {}x{} pixels; sides from 1 to {} are needed", width, height, kMaxSide));
  }
  const int size = config.size;
  const int long_side = std::max(width, height);
  ResizePlan plan{.in_width = width, .in_height = height, .width = size, .height = size};
  if (config.resize == ResizeRule::kSquash) {
    plan.out_width = plan.out_height = size;
    plan.kernel = ChooseKernel(config.filter, long_side > size);
    return plan;
  }
  const double ratio = static_cast<double>(long_side) / std::min(width, height);
  const double new_long_side = std::nearbyint(size * ratio);
  const auto scaled = [&](int side) {
    return static_cast<int>(std::nearbyint(side * new_long_side / long_side));
  };
  plan.out_width = scaled(width);
  plan.out_height = scaled(height);
  plan.left = plan.out_width / 2 - size / 2;
  plan.top = plan.out_height / 2 - size / 2;
  plan.kernel = ChooseKernel(config.filter, long_side > new_long_side);
  return plan;
}

NormalisedBytes NormaliseBytes(const InputConfig& config) {
  NormalisedBytes normalised;
  for (size_t c = 0; c < 3; ++c) {
    for (size_t value = 0; value < 256; ++value) {
      normalised[c * 256 + value] =
          static_cast<float>((static_cast<double>(value) / 255.0 - config.mean[c]) / config.std[c]);
    }
  }
  return normalised;
}

struct Preprocessor::State {
  ResizePlan plan;
  std::optional<Resizer> resizer;
  std::vector<uint8_t> rgb;  // [size, size, 3]
  NormalisedBytes normalised;
};

Preprocessor::Preprocessor(const InputConfig& config) : config_(config), state_(std::make_unique<State>()) {
  const auto side = static_cast<size_t>(config.size);
  state_->rgb.resize(side * side * 3);
  state_->normalised = NormaliseBytes(config);
}

Preprocessor::~Preprocessor() = default;

void Preprocessor::Resize(const ImageView& image, std::span<uint8_t> out) {
  const ResizePlan plan = PlanInput(config_, image);
  CheckRoom(out.size(), config_.size);
  State& state = *state_;
  if (!state.resizer || plan != state.plan) {
    state.resizer.emplace(plan);
    state.plan = plan;
  }
  state.resizer->Run(image, out);
}

void Preprocessor::Run(const ImageView& image, std::span<float> out) {
  CheckRoom(out.size(), config_.size);
  State& state = *state_;
  Resize(image, state.rgb);
  const size_t plane = state.rgb.size() / 3;
  for (size_t i = 0; i < plane; ++i) {
    for (size_t c = 0; c < 3; ++c) out[c * plane + i] = state.normalised[c * 256 + state.rgb[i * 3 + c]];
  }
}

}  // namespace calfvo
