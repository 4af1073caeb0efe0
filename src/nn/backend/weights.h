// SPDX-License-Identifier: Apache-2.0
// Weights in a backend's own form, made once at load.
#pragma once

#include <memory>

namespace calfvo {

// A matrix [out, in] and a bias [out].
class LinearWeights {
 public:
  virtual ~LinearWeights() = default;
};

// Values in f32: layer-norm gains, embeddings, tables.
class VectorWeights {
 public:
  virtual ~VectorWeights() = default;
};

struct NormWeights {
  std::unique_ptr<VectorWeights> gain;
  std::unique_ptr<VectorWeights> bias;
  float epsilon = 0.0F;
};

// Rotary position embedding. Token t (after `skip` tokens without rotation) rotates pair j of a head by the
// angle with cosine cos[t][j] and sine sin[t][j]. Pairs come in groups: element g·2·group + j is paired with
// g·2·group + group + j, for j < group.
struct Rope {
  std::unique_ptr<VectorWeights> cos;  // [tokens, pairs]
  std::unique_ptr<VectorWeights> sin;
  int pairs = 0;  // head size / 2
  int skip = 0;
  int group = 0;
};

}  // namespace calfvo
