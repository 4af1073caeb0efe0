// SPDX-License-Identifier: Apache-2.0
// The model's tensors as parameters of a tree of modules, and the layers that use them.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "network/layers.h"
#include "nn/architecture/model_config.h"

namespace calfvo::train {

// Handles to parameters by their names in model files. They stay right when the module moves to another
// device.
class WeightTable {
 public:
  // Registers each tensor, zero, under `root`: "a.b.weight" is the parameter `weight` of the module `b` of
  // the module `a`. `encoder.rope_periods`, which is not trained, becomes a buffer.
  WeightTable(torch::nn::Module& root, const std::vector<TensorSpec>& tensors);

  const at::Tensor& Get(std::string_view name) const;
  bool Has(std::string_view name) const { return tensors_.contains(name); }

  LinearLayer Linear(const std::string& name) const;
  NormLayer Norm(const std::string& name, double eps) const;
  ConvolutionLayer Convolution(const std::string& name) const;

 private:
  std::map<std::string, at::Tensor, std::less<>> tensors_;
};

}  // namespace calfvo::train
