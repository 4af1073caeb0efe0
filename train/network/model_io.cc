// SPDX-License-Identifier: Apache-2.0
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>

#include "calfvo/error.h"
#include "network/train_network.h"
#include "nn/architecture/model_file.h"
#include "nn/weights/memory_weights.h"

namespace calfvo::train {
namespace {

using TensorsByName = std::map<std::string, at::Tensor>;

// Parameters, and buffers for the sake of `encoder.rope_periods`.
TensorsByName AllTensors(const TrainNetworkImpl& network) {
  TensorsByName tensors;
  for (const auto& item : network.named_parameters()) tensors.emplace(item.key(), item.value());
  for (const auto& item : network.named_buffers()) tensors.emplace(item.key(), item.value());
  return tensors;
}

}  // namespace

void LoadWeights(TrainNetworkImpl& network, const WeightSource& weights) {
  LoadTensors(network, weights, ModelTensors(network.config()));
}

void LoadTensors(TrainNetworkImpl& network, const WeightSource& weights,
                 const std::vector<TensorSpec>& wanted) {
  const at::NoGradGuard no_grad;
  const TensorsByName tensors = AllTensors(network);
  for (const TensorSpec& spec : wanted) {
    const Tensor source = ToF32(weights.Get(spec.name));
    if (source.shape() != Shape(spec.shape)) {
      throw Error(fmt::format("{}: tensor {} has shape {}; expected {}", weights.file_name(), spec.name,
                              source.shape().ToString(), SizesToString(spec.shape)));
    }
    // from_blob wants a mutable pointer, though it is only read.
    void* data = const_cast<float*>(source.Data<float>().data());
    tensors.at(spec.name).copy_(at::from_blob(data, spec.shape, at::kFloat));
  }
}

void SaveModel(const TrainNetworkImpl& network, const ModelConfig& config, DType dtype,
               const std::filesystem::path& path) {
  const TensorsByName tensors = AllTensors(network);
  MemoryWeights weights("the trained network");
  for (const TensorSpec& spec : ModelTensors(network.config())) {
    const at::Tensor values = tensors.at(spec.name).detach().to(at::kCPU, at::kFloat).contiguous();
    Tensor copy = Tensor::Uninitialized(DType::kF32, Shape(spec.shape));
    std::memcpy(copy.mutable_bytes().data(), values.data_ptr<float>(), copy.mutable_bytes().size());
    weights.Add(spec.name, std::move(copy));
  }
  SaveModelFile(config, weights, dtype, path);
}

}  // namespace calfvo::train
