// SPDX-License-Identifier: Apache-2.0
// Weights that were made rather than read.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/tensor/tensor.h"
#include "nn/weights/named_tensors.h"
#include "nn/weights/weight_source.h"

namespace calfvo {

class MemoryWeights final : public WeightSource {
 public:
  // `name` stands for the file in messages.
  explicit MemoryWeights(std::string name, std::map<std::string, std::string> metadata = {})
      : name_(std::move(name)), metadata_(std::move(metadata)) {}

  void Add(const std::string& name, Tensor tensor) {
    table_.Add(name, tensor.view());
    tensors_.push_back(std::move(tensor));
  }

  const std::string& file_name() const override { return name_; }
  const std::vector<std::string>& names() const override { return table_.names(); }
  const TensorView* Find(std::string_view name) const override { return table_.Find(name); }
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }

 private:
  const std::string name_;
  std::vector<Tensor> tensors_;
  NamedTensors table_;
  const std::map<std::string, std::string> metadata_;
};

}  // namespace calfvo
