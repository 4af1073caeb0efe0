// SPDX-License-Identifier: Apache-2.0
// Rows of 8-bit activations in host memory. The functions are always inlined: kernels compiled for different
// instruction sets call them (kernels_impl.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace calfvo {

// Element i of a row is (byte i − 128) · scale. The scale, a float, follows the bytes on a cache line of its
// own, so that rows are no power of two apart.
struct Int8Rows {
  static constexpr int64_t kLine = 64;
  static constexpr int kZero = 128;  // the byte of 0

  int64_t cols = 0;

  [[gnu::always_inline]] inline int64_t ScaleOffset() const { return (cols + kLine - 1) / kLine * kLine; }
  [[gnu::always_inline]] inline int64_t Stride() const { return ScaleOffset() + kLine; }
  // Whether they take no more memory than elements of this size.
  [[gnu::always_inline]] inline bool Fit(size_t element_size) const {
    return Stride() <= cols * static_cast<int64_t>(element_size);
  }
  [[gnu::always_inline]] inline float Scale(const uint8_t* row) const {
    float scale;
    __builtin_memcpy(&scale, row + ScaleOffset(), sizeof(scale));
    return scale;
  }
  [[gnu::always_inline]] inline void SetScale(uint8_t* row, float scale) const {
    __builtin_memcpy(row + ScaleOffset(), &scale, sizeof(scale));
  }
};

}  // namespace calfvo
