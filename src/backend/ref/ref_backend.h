// SPDX-License-Identifier: Apache-2.0
// The oracle: every operation as plain loops in f32. Never fast, always right.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "backend/backend.h"

namespace calfvo {

// Sees what attention does, for pictures of it.
class AttentionObserver {
 public:
  virtual ~AttentionObserver() = default;

  // An attention operation begins.
  virtual void BeginAttention(int heads) = 0;

  // One head of it over some rows of the matrix: weights [rows, rows] say how much of each row (second) goes
  // into the new value of a row (first). They add up to one along the second.
  virtual void Attended(std::span<const int64_t> rows, std::span<const float> weights) = 0;
};

// `threads` as in ThreadPool.
std::unique_ptr<Backend> MakeRefBackend(int threads = 0);

// With one thread. Borrows `observer`.
std::unique_ptr<Backend> MakeObservedBackend(AttentionObserver& observer);

}  // namespace calfvo
