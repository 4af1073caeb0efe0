// SPDX-License-Identifier: Apache-2.0
// The weights that training starts from without a checkpoint.
#pragma once

#include <cstdint>
#include <memory>

#include "nn/architecture/model_config.h"
#include "nn/weights/weight_source.h"

namespace calfvo::train {

// Every tensor of the model, a function of its name and the seed: matrices and embeddings from a normal
// distribution of σ 0.02, cut at 2 σ; convolutions with a σ that keeps the
// variance through GELU; what adds to the residual stream divided by the square root of the number of
// additions; biases and what the aspect adds 0, gains 1. The head starts with poses near the identity and
// variances of one.
std::unique_ptr<WeightSource> InitialWeights(const ModelConfig& config, uint64_t seed);

}  // namespace calfvo::train
