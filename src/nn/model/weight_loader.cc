// SPDX-License-Identifier: Apache-2.0
#include "nn/model/weight_loader.h"

#include <Eigen/Core>

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

std::unique_ptr<LinearWeights> WeightLoader::Composition(const std::string& outer,
                                                         const std::string& inner) const {
  const Tensor outer_weight = Load(outer + ".weight");
  const Tensor inner_weight = Load(inner + ".weight");
  Tensor bias = Load(outer + ".bias");
  const Tensor inner_bias = Load(inner + ".bias");
  Tensor weight = Tensor::Uninitialized(DType::kF32, {outer_weight.shape()[0], inner_weight.shape()[1]});
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto matrix = [](const Tensor& tensor) {
    return Eigen::Map<const RowMajor>(tensor.Data<float>().data(), tensor.shape()[0], tensor.shape()[1]);
  };
  const auto vector = [](const Tensor& tensor) {
    return Eigen::Map<const Eigen::VectorXf>(tensor.Data<float>().data(), tensor.shape()[0]);
  };
  Eigen::Map<RowMajor>(weight.MutableData<float>().data(), weight.shape()[0], weight.shape()[1]).noalias() =
      matrix(outer_weight) * matrix(inner_weight);
  Eigen::Map<Eigen::VectorXf>(bias.MutableData<float>().data(), bias.shape()[0]) +=
      matrix(outer_weight) * vector(inner_bias);
  return backend_.MakeLinear(weight.view(), bias.view());
}

std::unique_ptr<LinearWeights> WeightLoader::Convolution(const std::string& name, bool exact) const {
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
  const Tensor bias = Load(name + ".bias");
  return exact ? backend_.MakeExactLinear(matrix.view(), bias.view())
               : backend_.MakeLinear(matrix.view(), bias.view());
}

std::unique_ptr<LinearWeights> WeightLoader::PatchEmbedding(const std::string& name) const {
  const Tensor weight = Load(name + ".weight");
  const int64_t out = weight.shape()[0];
  const TensorView matrix(weight.view().bytes().data(), DType::kF32,
                          {out, weight.shape().element_count() / out});
  return backend_.MakeExactLinear(matrix, Load(name + ".bias").view());
}

std::unique_ptr<VectorWeights> WeightLoader::Vector(const std::string& name) const {
  return backend_.MakeVector(Load(name).view());
}

NormWeights WeightLoader::Norm(const std::string& name, double epsilon) const {
  return {Vector(name + ".weight"), Vector(name + ".bias"), static_cast<float>(epsilon)};
}

}  // namespace calfvo
