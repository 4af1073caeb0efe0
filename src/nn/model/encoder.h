// SPDX-License-Identifier: Apache-2.0
// Frames to tokens.
#pragma once

#include <memory>
#include <span>

#include "nn/architecture/model_config.h"
#include "nn/backend/backend.h"
#include "nn/model/weight_loader.h"

namespace calfvo {

// Normalised images [3, size, size] in host memory or the backend's. Encoders of single frames ignore
// `previous`.
struct EncoderInput {
  const float* previous = nullptr;  // the frame before, or the same one for the first
  const float* current = nullptr;
};

class Encoder {
 public:
  virtual ~Encoder() = default;

  // out[i] [tokens, dim] = the tokens of frames[i]. A frame's tokens do not depend on the others in the
  // batch.
  virtual void Encode(std::span<const EncoderInput> frames, std::span<const Activation> out) = 0;
};

std::unique_ptr<Encoder> MakeEncoder(const ModelConfig& config, const WeightLoader& loader);

}  // namespace calfvo
