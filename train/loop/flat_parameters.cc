// SPDX-License-Identifier: Apache-2.0
#include "loop/flat_parameters.h"

#include <ATen/ops/_foreach_add.h>
#include <fmt/format.h>

#include <algorithm>

#include "calfvo/error.h"

namespace calfvo::train {
namespace {

constexpr int64_t kAlignment = 64;  // elements

}  // namespace

bool IsDecayed(const std::string& name, const torch::Tensor& parameter) {
  return parameter.dim() >= 2 && !name.ends_with("_embed") && !name.ends_with("registers");
}

bool IsBlockMatrix(const std::string& name, const torch::Tensor& parameter) {
  return IsDecayed(name, parameter) && name.find("blocks.") != std::string::npos;
}

FlatParameters::FlatParameters(torch::nn::Module& module) {
  for (const auto& item : module.named_parameters()) {
    if (!item.value().requires_grad()) continue;
    if (item.value().scalar_type() != torch::kFloat32) {
      throw Error(fmt::format("parameter {} is not f32; only f32 parameters can be trained", item.key()));
    }
    slices_.push_back({item.key(), item.value(), 0, item.value().numel()});
  }
  if (slices_.empty()) throw Error("the network has no parameters to train");
  const auto others = std::stable_partition(slices_.begin(), slices_.end(), [](const Slice& slice) {
    return IsDecayed(slice.name, slice.parameter);
  });
  std::stable_partition(slices_.begin(), others,
                        [](const Slice& slice) { return IsBlockMatrix(slice.name, slice.parameter); });
  int64_t end = 0;
  for (Slice& slice : slices_) {
    slice.begin = end;
    parameter_count_ += slice.count;
    end += (slice.count + kAlignment - 1) / kAlignment * kAlignment;
    if (IsDecayed(slice.name, slice.parameter)) decay_size_ = end;
    if (IsBlockMatrix(slice.name, slice.parameter)) matrix_size_ = end;
  }

  const torch::NoGradGuard no_grad;
  weights_ = torch::zeros({end}, slices_.front().parameter.options().requires_grad(false));
  gradients_ = torch::zeros_like(weights_);
  for (Slice& slice : slices_) {
    const auto view = [&](const torch::Tensor& flat) {
      return flat.narrow(0, slice.begin, slice.count).view(slice.parameter.sizes());
    };
    view(weights_).copy_(slice.parameter);
    slice.parameter.set_data(view(weights_));
    slice.parameter.mutable_grad() = view(gradients_);
  }
}

void FlatParameters::ZeroGradients() const {
  gradients_.zero_();
  for (const Slice& slice : slices_) slice.parameter.mutable_grad().reset();
}

void FlatParameters::CollectGradients(int64_t begin, int64_t end) const {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> places, collected;
  for (const Slice& slice : slices_) {
    if (slice.begin < begin || slice.begin >= end) continue;
    const torch::Tensor place = gradients_.narrow(0, slice.begin, slice.count);
    torch::Tensor& gradient = slice.parameter.mutable_grad();
    if (gradient.defined()) {
      if (gradient.is_alias_of(gradients_)) continue;
      places.push_back(place);
      collected.push_back(gradient.flatten());
    }
    gradient = place.view(slice.parameter.sizes());
  }
  if (!places.empty()) at::_foreach_add_(places, collected);
}

std::string FlatParameters::Layout() const {
  std::string text;
  for (const Slice& slice : slices_) {
    text += fmt::format("{} {} {}\n", slice.name, slice.begin, slice.count);
  }
  return text;
}

}  // namespace calfvo::train
