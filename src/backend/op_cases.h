// SPDX-License-Identifier: Apache-2.0
// One list of cases for every operation of a backend: run as comparison with `ref` in the tests, and as
// benchmark in bench/bench_network.cc. Shapes are those of both models and awkward ones: one row, tails,
// windows of 2 to 16 and more, 196 and 197 tokens.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace calfvo {

// A case set up on one backend: inputs uploaded, weights packed.
class PreparedOp {
 public:
  virtual ~PreparedOp() = default;
  virtual void Run() = 0;
  // What the last Run put out.
  virtual std::vector<float> Output() = 0;
};

struct OpCase {
  std::string name;
  double gflop;  // of matrix products; 0 where there are none
  // Bounds on ‖out − ref‖ / ‖ref‖.
  double bound_f32;
  double bound_bf16;
  std::function<std::unique_ptr<PreparedOp>(Backend& backend)> prepare;
};

// ‖ours − expected‖ / ‖expected‖, or ‖ours‖ where nothing else is expected; not a number where `ours` has
// some.
double RelativeError(std::span<const float> ours, std::span<const float> expected);

// Of the model that `scale` names: "calfvo-s", "calfvo-l", or "odd" for the awkward shapes.
std::vector<OpCase> OpCases(const std::string& scale);

}  // namespace calfvo
