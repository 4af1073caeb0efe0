// SPDX-License-Identifier: Apache-2.0
#include "core/image/resize.h"

#include <algorithm>

namespace calfvo {

ResampleWeights WeightsAlongX(const ResizePlan& plan) {
  return MakeResampleWeights(plan.kernel, plan.in_width, plan.out_width, plan.left, plan.width);
}

ResampleWeights WeightsAlongY(const ResizePlan& plan) {
  return MakeResampleWeights(plan.kernel, plan.in_height, plan.out_height, plan.top, plan.height);
}

Resizer::Resizer(const ResizePlan& plan, const RowKernels& kernels)
    : kernels_(kernels),
      along_x_(WeightsAlongX(plan)),
      along_y_(WeightsAlongY(plan)),
      readable_bytes_(ReadableBytes(along_x_)),
      // one more byte than the pixels, in whole blocks
      row_bytes_((static_cast<size_t>(plan.width) * 3 / kRowBlock + 1) * kRowBlock),
      // the rows of a window may begin and end within a group
      ring_rows_(along_y_.taps + kRowsAtOnce),
      ring_(static_cast<size_t>(ring_rows_) * row_bytes_),
      out_row_(row_bytes_) {
  rows_.reserve(static_cast<size_t>(along_y_.taps));
  for (auto& copy : row_copies_) {
    copy.resize(std::max(readable_bytes_, static_cast<size_t>(plan.in_width) * 3));
  }
}

void Resizer::Run(const ImageView& image, std::span<uint8_t> out) {
  const size_t out_bytes = along_x_.windows.size() * 3;
  int next_row = 0;
  for (size_t i = 0; i < along_y_.windows.size(); ++i) {
    const auto [first, count] = along_y_.windows[i];
    next_row = std::max(next_row, first / kRowsAtOnce * kRowsAtOnce);
    for (; next_row < first + count; next_row += kRowsAtOnce) FillRing(image, next_row);
    rows_.clear();
    for (int y = first; y < first + count; ++y) rows_.push_back(ring_row(y));
    kernels_.along_y(along_y_.of(i), rows_, row_bytes_, out_row_.data());
    std::copy_n(out_row_.data(), out_bytes, out.data() + i * out_bytes);
  }
}

// Beyond the last row of the image it repeats that row; nothing reads the result.
void Resizer::FillRing(const ImageView& image, int first_row) {
  std::array<const uint8_t*, kRowsAtOnce> in;
  std::array<uint8_t*, kRowsAtOnce> made;
  for (int i = 0; i < kRowsAtOnce; ++i) {
    const auto row = static_cast<size_t>(i);
    in[row] = Readable(image, std::min(first_row + i, image.height - 1), row_copies_[row]);
    made[row] = ring_row(first_row + i);
  }
  kernels_.along_x(along_x_, in, made);
}

// The last rows of an image are copied to where there is room behind them. Rows of other formats are
// converted there, one by one, so that they are read from the cache.
const uint8_t* Resizer::Readable(const ImageView& image, int y, std::vector<uint8_t>& copy) const {
  if (image.format != PixelFormat::kRgb8) {
    ConvertRow(image, y, copy.data());
    return copy.data();
  }
  const uint8_t* row = image.pixels + y * image.stride;
  const auto width_bytes = static_cast<size_t>(image.width) * 3;
  const size_t behind = static_cast<size_t>(image.height - 1 - y) * static_cast<size_t>(image.stride);
  if (behind + width_bytes >= readable_bytes_) return row;
  std::copy_n(row, std::min(width_bytes, copy.size()), copy.data());
  return copy.data();
}

}  // namespace calfvo
