// SPDX-License-Identifier: Apache-2.0
// What the tests of this folder share. Included by *_test.cc files only.
#pragma once

#include <cmath>

#include "eval/report/figures.h"

namespace calfvo {

// A path and a wobbling estimate of it.
struct TestPair {
  explicit TestPair(size_t size) {
    for (size_t i = 0; i < size; ++i) {
      const auto t = static_cast<double>(i);
      reference.timestamps_ns.push_back(static_cast<int64_t>(i) * 100'000'000);
      reference.world_from_camera.push_back({Quaternion::Identity(), {std::sin(0.1 * t), 0.0, 0.2 * t}});
      estimate.world_from_camera.push_back(
          {Quaternion::Identity(), {std::sin(0.1 * t), 0.02 * std::sin(0.7 * t), 0.21 * t}});
    }
    estimate.timestamps_ns = reference.timestamps_ns;
    evaluation = Evaluate(reference, estimate);
  }
  EvaluatedPair View() const { return {"a<b>", reference, estimate, evaluation}; }

  Trajectory reference;
  Trajectory estimate;
  Evaluation evaluation{};
};

}  // namespace calfvo
