// SPDX-License-Identifier: Apache-2.0
// The convolutions of the pair encoder: two frames of S×S pixels to S/16 × S/16 tokens.
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.h"
#include "model/scratch.h"
#include "model/weight_loader.h"
#include "weights/model_config.h"

namespace calfvo {

class PairStem {
 public:
  PairStem(const ModelConfig& config, const WeightLoader& loader);

  // Images [3, size, size]; out [tokens, dim].
  void Run(const float* previous, const float* current, const Stream& out);

 private:
  struct Block {
    std::unique_ptr<LinearWeights> conv1;
    NormWeights norm;
    std::unique_ptr<LinearWeights> conv2;
  };
  struct Stage {
    int side;  // of the input map, pixels
    int channels;
    std::unique_ptr<LinearWeights> conv;
    NormWeights norm;
    std::vector<Block> blocks;
  };

  Backend& backend_;
  const int size_;
  std::vector<Stage> stages_;
  Scratch scratch_;
};

}  // namespace calfvo
