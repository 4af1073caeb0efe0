// SPDX-License-Identifier: Apache-2.0
// From descriptors of a window to relative poses with confidences.
#pragma once

#include <span>
#include <vector>

#include "geometry/pair_estimate.h"
#include "model/weight_loader.h"
#include "weights/model_config.h"

namespace calfvo {

// Values of one pair [m] → its estimate, as docs/network.md says. Throws Error when a value is not finite or
// no rotation can be made of them (a zero quaternion).
PairEstimate InterpretPair(const HeadConfig& config, std::span<const float> values);

class Head {
 public:
  Head(const ModelConfig& config, const WeightLoader& loader);

  // descriptors [(1 + K)·dim] of one window → raw values [(K − 1)·m].
  void Apply(std::span<const float> descriptors, std::span<float> values) const;

  int64_t values_per_window() const { return rows_; }
  size_t inputs_per_window() const { return static_cast<size_t>(cols_); }

 private:
  const int64_t rows_;
  const int64_t cols_;
  const Tensor weight_;
  const Tensor bias_;
};

}  // namespace calfvo
