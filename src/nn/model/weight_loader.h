// SPDX-License-Identifier: Apache-2.0
// Loads the tensors of a model file into a backend.
#pragma once

#include <memory>
#include <string>

#include "nn/backend/backend.h"
#include "nn/tensor/tensor.h"
#include "nn/weights/weight_source.h"

namespace calfvo {

class WeightLoader {
 public:
  WeightLoader(Backend& backend, const WeightSource& source) : backend_(backend), source_(source) {}

  // Tensor `name` in f32; throws Error if the file does not have it.
  Tensor Load(const std::string& name) const;

  // `name`.weight and `name`.bias; with `scale` (the name of a vector), output i is multiplied by scale[i].
  std::unique_ptr<LinearWeights> Linear(const std::string& name, const std::string& scale = "") const;
  // x → outer(inner(x)) as one map.
  std::unique_ptr<LinearWeights> Composition(const std::string& outer, const std::string& inner) const;
  // A 3×3 convolution as the linear map of neighbourhoods in (y, x, channel) order; `exact` as
  // MakeExactLinear.
  std::unique_ptr<LinearWeights> Convolution(const std::string& name, bool exact = false) const;
  // A patch embedding as the linear map of patches in (channel, y, x) order, exact.
  std::unique_ptr<LinearWeights> PatchEmbedding(const std::string& name) const;
  std::unique_ptr<VectorWeights> Vector(const std::string& name) const;
  NormWeights Norm(const std::string& name, double epsilon) const;

  Backend& backend() const { return backend_; }

 private:
  Backend& backend_;
  const WeightSource& source_;
};

}  // namespace calfvo
