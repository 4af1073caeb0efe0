// SPDX-License-Identifier: Apache-2.0
// RGB images of one size to another, to the integer as Pillow resizes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/image/image_view.h"
#include "core/image/resample_weights.h"
#include "core/image/resize_rows.h"

namespace calfvo {

// From in_width × in_height to out_width × out_height, of which only the part at (left, top) of width ×
// height is wanted. All sides are at least 1.
struct ResizePlan {
  ResampleKernel kernel = ResampleKernel::kBilinear;
  int in_width = 1, in_height = 1;
  int out_width = 1, out_height = 1;
  int left = 0, top = 0, width = 1, height = 1;
  friend bool operator==(const ResizePlan&, const ResizePlan&) = default;
};

// The plan's axes.
ResampleWeights WeightsAlongX(const ResizePlan& plan);
ResampleWeights WeightsAlongY(const ResizePlan& plan);

// Rows first, then columns, with 8-bit values between; kernels widen when they shrink. Holds a few rows, not
// the image: memory grows with the wanted part and with the image's sides, not its area. Not thread-safe.
class Resizer {
 public:
  explicit Resizer(const ResizePlan& plan, const RowKernels& kernels = AvailableRowKernels().back());

  // `image`, checked (CheckedImage), has the plan's input size; `out` receives [height, width, 3].
  void Run(const ImageView& image, std::span<uint8_t> out);

 private:
  void FillRing(const ImageView& image, int first_row);
  const uint8_t* Readable(const ImageView& image, int y, std::vector<uint8_t>& copy) const;
  uint8_t* ring_row(int y) { return ring_.data() + static_cast<size_t>(y % ring_rows_) * row_bytes_; }

  RowKernels kernels_;
  ResampleWeights along_x_;
  ResampleWeights along_y_;
  size_t readable_bytes_ = 0;  // of an input row
  size_t row_bytes_ = 0;       // of a row in the ring
  int ring_rows_ = 0;
  std::vector<uint8_t> ring_;  // input row y, resampled along x, is at y % ring_rows_
  std::vector<const uint8_t*> rows_;
  std::vector<uint8_t> out_row_;
  std::vector<uint8_t> row_copies_[kRowsAtOnce];
};

}  // namespace calfvo
