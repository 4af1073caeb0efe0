// SPDX-License-Identifier: Apache-2.0
#include "network/weight_table.h"

#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <memory>

#include "calfvo/error.h"

namespace calfvo::train {
namespace {

torch::nn::Module& ChildOf(torch::nn::Module& parent, const std::string& name) {
  const auto children = parent.named_children();
  if (const auto* child = children.find(name)) return **child;
  return *parent.register_module(name, std::make_shared<torch::nn::Module>(name));
}

}  // namespace

WeightTable::WeightTable(torch::nn::Module& root, const std::vector<TensorSpec>& tensors) {
  for (const TensorSpec& spec : tensors) {
    torch::nn::Module* module = &root;
    std::string_view rest = spec.name;
    for (size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      module = &ChildOf(*module, std::string(rest.substr(0, dot)));
      rest.remove_prefix(dot + 1);
    }
    const at::Tensor zeros = at::zeros(spec.shape, at::kFloat);
    const std::string leaf(rest);
    tensors_[spec.name] = spec.name == "encoder.rope_periods" ? module->register_buffer(leaf, zeros)
                                                              : module->register_parameter(leaf, zeros);
  }
}

const at::Tensor& WeightTable::Get(std::string_view name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw Error(fmt::format("the network has no tensor {}", name));
  return found->second;
}

LinearLayer WeightTable::Linear(const std::string& name) const {
  return {Get(name + ".weight"), Get(name + ".bias")};
}

NormLayer WeightTable::Norm(const std::string& name, double eps) const {
  return {Get(name + ".weight"), Get(name + ".bias"), eps};
}

ConvolutionLayer WeightTable::Convolution(const std::string& name) const {
  return {Get(name + ".weight"), Get(name + ".bias")};
}

}  // namespace calfvo::train
