// SPDX-License-Identifier: Apache-2.0
// The reference: every operation as plain loops in f32.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "nn/backend/backend.h"

namespace calfvo {

// Receives the attention weights, to visualise them.
class AttentionObserver {
 public:
  virtual ~AttentionObserver() = default;

  // An attention operation begins.
  virtual void BeginAttention(int heads) = 0;

  // One head of it over some rows of the matrix. weights [rows, rows]: the new value of a row (first index)
  // is the mean of the rows (second index) with these weights, which sum to one.
  virtual void Attended(std::span<const int64_t> rows, std::span<const float> weights) = 0;
};

// `threads` as in ThreadPool.
std::unique_ptr<Backend> MakeRefBackend(int threads = 0);

// With one thread. Borrows `observer`.
std::unique_ptr<Backend> MakeObservedBackend(AttentionObserver& observer);

}  // namespace calfvo
