// SPDX-License-Identifier: Apache-2.0
#include "network/initial_weights.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/portable/random.h"
#include "nn/weights/memory_weights.h"

namespace calfvo::train {
namespace {

constexpr float kSigma = 0.02F;
constexpr float kLayerScale = 0.1F;
constexpr float kHeadSigma = 0.002F;

bool EndsWithOneOf(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](auto ending) { return name.ends_with(ending); });
}

void FillNormal(portable::Random random, float sigma, std::span<float> values) {
  for (float& value : values) {
    float draw = random.Normal();
    while (std::abs(draw) > 2.0F) draw = random.Normal();
    value = sigma * draw;
  }
}

// The rotation values of the identity: what each pair's head bias starts with. Where their size does not
// matter they are large, so that a step of the optimiser, whose size does not depend on the gradient's, turns
// little: frames are a degree or two apart, and with values of 1 the head's own noise would be more than
// that.
std::vector<float> IdentityValues(RotationHead rotation) {
  constexpr float k = 10.0F;
  switch (rotation) {
    case RotationHead::kProcrustes:
      return {k, 0, 0, 0, k, 0, 0, 0, k};
    case RotationHead::kGramSchmidt:
      return {k, 0, 0, 0, k, 0};
    case RotationHead::kQuaternion:
      return {k, 0, 0, 0};
    case RotationHead::kEuler:
      break;
  }
  return {0, 0, 0};
}

void FillHeadBias(const HeadConfig& head, std::span<float> values) {
  const std::vector<float> identity = IdentityValues(head.rotation);
  const auto per_pair = static_cast<size_t>(head.values_per_pair());
  for (size_t first = 0; first < values.size(); first += per_pair) {
    std::copy(identity.begin(), identity.end(), values.begin() + static_cast<ptrdiff_t>(first));
    // Of a translation of zero, whatever the mean.
    for (size_t i = 0; i < 3; ++i) {
      values[first + identity.size() + i] =
          static_cast<float>(-head.translation_mean[i] / head.translation_std[i]);
    }
  }
}

// How many times a frame's tokens are added to.
int Additions(const ModelConfig& config) {
  return 2 * config.encoder.depth +
         (config.decoder.kind == DecoderKind::kTimeSpace ? 3 : 2) * config.decoder.depth;
}

Tensor InitialWeight(const ModelConfig& config, const TensorSpec& spec, const portable::Random& random) {
  const std::string_view name = spec.name;
  Tensor tensor(DType::kF32, Shape(spec.shape));
  const auto values = tensor.MutableData<float>();
  if (name == "encoder.rope_periods") {
    for (size_t j = 0; j < values.size(); ++j) {
      values[j] = std::pow(100.0F, static_cast<float>(j) / static_cast<float>(values.size()));
    }
  } else if (name == "head.bias") {
    FillHeadBias(config.head, values);
  } else if (name == "head.weight") {
    FillNormal(random, kHeadSigma, values);
  } else if (name.ends_with(".bias") || name == "decoder.aspect") {
    // stays 0
  } else if (EndsWithOneOf(name, {".ls1", ".ls2"})) {
    std::fill(values.begin(), values.end(), kLayerScale);
  } else if (name.ends_with(".weight") && spec.shape.size() == 1) {
    std::fill(values.begin(), values.end(), 1.0F);
  } else {
    float sigma = kSigma;
    if (spec.shape.size() == 4) {
      const auto fan_in = static_cast<float>(values.size()) / static_cast<float>(spec.shape[0]);
      sigma = std::sqrt(2.0F / fan_in);
      // The last convolution of a residual block.
      if (name.ends_with(".conv2.weight")) sigma *= 0.1F;
    }
    if (EndsWithOneOf(name, {".proj.weight", ".fc2.weight", ".out.weight"}) &&
        !name.ends_with(".time.proj.weight")) {
      sigma /= std::sqrt(static_cast<float>(Additions(config)));
    }
    FillNormal(random, sigma, values);
  }
  return tensor;
}

}  // namespace

std::unique_ptr<WeightSource> InitialWeights(const ModelConfig& config, uint64_t seed) {
  auto weights = std::make_unique<MemoryWeights>("initial weights");
  uint64_t index = 0;
  for (const TensorSpec& spec : ModelTensors(config)) {
    weights->Add(spec.name, InitialWeight(config, spec, portable::Random(seed).Fork(index++)));
  }
  return weights;
}

}  // namespace calfvo::train
