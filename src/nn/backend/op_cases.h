// SPDX-License-Identifier: Apache-2.0
// Test cases for the operations of a backend, shared by the tests, which compare with `ref`, and by
// bench/bench_network.cc. Shapes are those of both models and odd ones: one row, tails, windows of 2 to 20,
// 196 and 197 tokens.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nn/backend/backend.h"

namespace calfvo {

// A case set up on one backend: inputs uploaded, weights packed.
class PreparedOp {
 public:
  virtual ~PreparedOp() = default;
  virtual void Run() = 0;
  // The output of the last Run.
  virtual std::vector<float> Output() = 0;
};

struct OpCase {
  std::string name;
  double gflop;  // of matrix products; 0 where there are none
  // Bounds on ‖out − ref‖ / ‖ref‖.
  double bound_f32;
  double bound_bf16;
  double bound_int8;
  std::function<std::unique_ptr<PreparedOp>(Backend& backend)> prepare;
};

// ‖ours − expected‖ / ‖expected‖, or ‖ours‖ if `expected` is zero; NaN if `ours` contains one.
double RelativeError(std::span<const float> ours, std::span<const float> expected);

// Shapes of the model `scale`, "calfvo-s" or "calfvo-l", or "odd" ones.
std::vector<OpCase> OpCases(const std::string& scale);

}  // namespace calfvo
