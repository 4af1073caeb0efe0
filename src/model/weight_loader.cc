// SPDX-License-Identifier: Apache-2.0
#include "model/weight_loader.h"

namespace calfvo {

Tensor WeightLoader::Load(const std::string& name) const {
  return ToF32(source_.Get(name));
}

std::unique_ptr<LinearWeights> WeightLoader::Linear(const std::string& name, const std::string& scale) const {
  Tensor weight = Load(name + ".weight");
  Tensor bias = Load(name + ".bias");
  if (!scale.empty()) {
    const Tensor factors = Load(scale);
    const int64_t in = weight.shape()[1];
    for (int64_t o = 0; o < weight.shape()[0]; ++o) {
      const float factor = factors.Data<float>()[static_cast<size_t>(o)];
      bias.MutableData<float>()[static_cast<size_t>(o)] *= factor;
      for (float& element :
           weight.MutableData<float>().subspan(static_cast<size_t>(o * in), static_cast<size_t>(in))) {
        element *= factor;
      }
    }
  }
  return backend_.MakeLinear(weight.view(), bias.view());
}

std::unique_ptr<LinearWeights> WeightLoader::Convolution(const std::string& name) const {
  const Tensor weight = Load(name + ".weight");
  const int64_t out = weight.shape()[0];
  const int64_t in = weight.shape()[1];
  Tensor matrix = Tensor::Uninitialized(DType::kF32, {out, 9 * in});
  const auto from = weight.Data<float>();
  const auto to = matrix.MutableData<float>();
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t i = 0; i < in; ++i) {
      for (int64_t tap = 0; tap < 9; ++tap) {
        to[static_cast<size_t>((o * 9 + tap) * in + i)] = from[static_cast<size_t>((o * in + i) * 9 + tap)];
      }
    }
  }
  return backend_.MakeLinear(matrix.view(), Load(name + ".bias").view());
}

std::unique_ptr<LinearWeights> WeightLoader::PatchEmbedding(const std::string& name) const {
  const Tensor weight = Load(name + ".weight");
  const int64_t out = weight.shape()[0];
  const TensorView matrix(weight.view().bytes().data(), DType::kF32,
                          {out, weight.shape().element_count() / out});
  return backend_.MakeLinear(matrix, Load(name + ".bias").view());
}

std::unique_ptr<VectorWeights> WeightLoader::Vector(const std::string& name) const {
  return backend_.MakeVector(Load(name).view());
}

NormWeights WeightLoader::Norm(const std::string& name, double epsilon) const {
  return {Vector(name + ".weight"), Vector(name + ".bias"), static_cast<float>(epsilon)};
}

}  // namespace calfvo
