// SPDX-License-Identifier: Apache-2.0
// Matrices for one pass through the network, all from one buffer, so that nothing is allocated per frame.
#pragma once

#include <algorithm>
#include <memory>

#include "nn/backend/backend.h"

namespace calfvo {

class Scratch {
 public:
  explicit Scratch(Backend& backend) : backend_(backend) {}

  // Starts a pass: earlier matrices become invalid. Grows the buffer to the largest pass so far.
  void Reset() {
    if (needed_ > capacity_) {
      backend_.Synchronize();
      buffer_.reset();
      buffer_ = backend_.Allocate(needed_);
      capacity_ = needed_;
    }
    used_ = 0;
  }

  // A matrix of this pass. Once the buffer is used up, its `data` is null and only its size is counted.
  template <Role role>
  MatrixView<role> Take(int64_t rows, int64_t cols) {
    const size_t element_size = backend_.ElementSize(role);
    const int64_t padded_rows = PaddedRows(rows);
    return {TakeBytes(static_cast<size_t>(padded_rows * cols) * element_size),
            rows,
            cols,
            element_size,
            {.padded_rows = padded_rows}};
  }
  Stream TakeStream(int64_t rows, int64_t cols) { return Take<Role::kStream>(rows, cols); }
  Activation TakeActivation(int64_t rows, int64_t cols) { return Take<Role::kActivation>(rows, cols); }

  float* TakeFloats(int64_t count) {
    return reinterpret_cast<float*>(TakeBytes(static_cast<size_t>(count) * sizeof(float)));
  }

  // Whether all matrices since Reset have memory; if not, Reset and take them again.
  bool complete() const { return used_ <= capacity_; }

 private:
  std::byte* TakeBytes(size_t bytes) {
    const size_t offset = used_;
    used_ += (bytes + 63) / 64 * 64;
    needed_ = std::max(needed_, used_);
    return buffer_ != nullptr && used_ <= capacity_ ? buffer_->data() + offset : nullptr;
  }

  Backend& backend_;
  std::unique_ptr<Buffer> buffer_;
  size_t capacity_ = 0;
  size_t used_ = 0;
  size_t needed_ = 0;
};

// Calls take(scratch), which takes all matrices of a pass and returns them, again if the buffer had to grow.
template <typename TakeAll>
auto TakeFrom(Scratch& scratch, const TakeAll& take_all) {
  scratch.Reset();
  auto matrices = take_all(scratch);
  if (!scratch.complete()) {
    scratch.Reset();
    matrices = take_all(scratch);
  }
  return matrices;
}

}  // namespace calfvo
