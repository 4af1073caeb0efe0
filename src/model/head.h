// SPDX-License-Identifier: Apache-2.0
// From descriptors of a window to relative poses with log variances.
#pragma once

#include <span>
#include <vector>

#include "calfvo/geometry.h"
#include "model/weight_loader.h"
#include "weights/model_config.h"

namespace calfvo {

// What the network says about two consecutive frames.
struct PairEstimate {
  Rigid3 first_from_second;  // camera i from camera i + 1, metres
  double log_variance_rotation = 0.0;
  double log_variance_translation = 0.0;
};

// Values of one pair [m] → its estimate, as docs/network.md says. Throws Error when a value is not finite or
// no rotation can be made of them (a zero quaternion).
PairEstimate InterpretPair(const HeadConfig& config, std::span<const float> values);

class Head {
 public:
  Head(const ModelConfig& config, const WeightLoader& loader);

  // descriptors [(1 + K)·dim] of one window → raw values [(K − 1)·m].
  void Apply(std::span<const float> descriptors, std::span<float> values) const;

  int64_t values_per_window() const { return rows_; }

 private:
  const int64_t rows_;
  const int64_t cols_;
  const Tensor weight_;
  const Tensor bias_;
};

}  // namespace calfvo
