// SPDX-License-Identifier: Apache-2.0
// The convolutions of the pair encoder: two frames of S×S pixels to S/16 × S/16 tokens.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "nn/architecture/model_config.h"
#include "nn/backend/backend.h"
#include "nn/model/scratch.h"
#include "nn/model/weight_loader.h"

namespace calfvo {

class PairStem {
 public:
  PairStem(const ModelConfig& config, const WeightLoader& loader);

  // Images [3, size, size] in host memory, each but the first with the one before it; out [(images − 1) ·
  // tokens, dim].
  void Run(std::span<const float* const> images, const Stream& out);

 private:
  struct Matrices {
    float* images;
    Activation map, neighbours;
    Stream sum, convolved;
  };
  void Convolve(const Matrices& m, int64_t frames, const Stream& out);

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
