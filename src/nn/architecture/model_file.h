// SPDX-License-Identifier: Apache-2.0
// Model files: safetensors whose metadata holds the configuration (docs/network.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "nn/architecture/model_config.h"
#include "nn/tensor/tensor.h"
#include "nn/weights/weight_source.h"

namespace calfvo {

struct ModelFile {
  ModelConfig config;
  std::unique_ptr<WeightSource> weights;
};

// Whether the metadata marks the file as a calfvo model; nothing else is checked.
bool IsModelFile(const WeightSource& weights);

// Opens and checks a model file: its configuration, and that it has every tensor with the right shape, a
// float dtype and finite values, and no other tensor. Throws Error naming the file, the tensor and what was
// expected.
ModelFile LoadModelFile(const std::filesystem::path& path);

// Weights of the size a trained network has them, a function of the tensor's name and the seed: gains near
// one, small biases, matrices that keep the size of what they map.
Tensor RandomWeight(const TensorSpec& spec, uint64_t seed);

// A model of such weights: for tests and benchmarks.
ModelFile RandomModel(const ModelConfig& config, uint64_t seed);

// Writes `weights`, which must hold the tensors of `config`, converted to `dtype` (F32, BF16 or F16).
void SaveModelFile(const ModelConfig& config, const WeightSource& weights, DType dtype,
                   const std::filesystem::path& path);

}  // namespace calfvo
